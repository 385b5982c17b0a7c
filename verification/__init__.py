"""Statistical checks by simulation of what theory predicts. Run by `make verify`."""
