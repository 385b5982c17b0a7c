"""The commands of docs/study.md run, from an empty folder to a reward and a replay."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from pathlib import Path

from tests.matrix import FULL

PAGE = (Path(__file__).parents[2] / "docs" / "study.md").read_text()
COMMANDS = [block for block in re.findall(r"```sh\n(.*?)```", PAGE, flags=re.DOTALL) if "pip install" not in block]
CHEAPER = "sed -i 's/plan-ts/epsilon-rogue/' my-study/study.toml"  # its kernels are compiled by other tests


def test_five_minutes_end_with_a_replay(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    first, *rest = COMMANDS
    init, _, others = first.partition("\n")
    lines = ["set -eu", "trap 'kill %1; wait' EXIT", init, "" if FULL else CHEAPER, others, *rest]
    script = "\n".join(lines).replace("8000", str(port))
    here = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-c", script], cwd=tmp_path, env=here, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    assert "1 people, 1 decisions made again, 0 snapshots compared: 0 differ" in done.stdout
    assert '"corrected":false' in done.stdout


def test_the_page_names_every_route() -> None:
    """What the application serves is on the page, and the page names nothing else."""
    from rogue_bandits.study.api import batches, decisions, exports, people, status

    routers = (decisions.router, batches.router, exports.router, people.router, status.router)
    served = {route.path for router in routers for route in router.routes if hasattr(route, "path")}
    shown = PAGE.replace("{id}", "{decision}").replace("pause`, `resume`, `withdraw`, `erase", "{change}")
    assert [path for path in sorted(served) if path not in shown] == []
