"""`python -m rogue_bandits` is the command `rogue`."""

from rogue_bandits.cli import main

if __name__ == "__main__":
    main(prog_name="rogue")
