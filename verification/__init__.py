"""The statistical proof: what theory says of the software, asked of it by simulation. Run by `make verify`."""
