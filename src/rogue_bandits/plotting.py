"""What all figures share: matplotlib settings, a grid, and the conversion to files."""

from __future__ import annotations

import io
from importlib.metadata import version
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

RC: Any = {
    "font.size": 9.0,
    "axes.formatter.useoffset": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "svg.fonttype": "none",  # text stays text: it can be searched, read aloud and edited
    "svg.hashsalt": "rogue-bandits",
}


def draw_grid(axes: Any) -> None:
    """Draw faint horizontal lines behind the data."""
    axes.grid(axis="y", color="#E4E4E4", lw=0.6)
    axes.set_axisbelow(True)


def image(fig: Figure, kind: str, dpi: int = 200) -> bytes:
    """Return a figure as the content of a 'png' or 'svg' file, whose metadata name the version, not the machine."""
    stamp = f"rogue-bandits {version('rogue-bandits')}"
    metadata = {"png": {"Software": stamp}, "svg": {"Creator": stamp, "Date": None}}[kind]
    with mpl.rc_context(RC), io.BytesIO() as file:
        fig.savefig(file, format=kind, dpi=dpi, metadata=metadata)
        return file.getvalue()
