"""One person as bytes: personal numbers only, versioned, with a hash of the problem and the policy.

    magic "RBS", version, fingerprint of 8 bytes, crc of the rest; then, compressed, of each array its shape and its
    bytes, little-endian, the first bytes of all numbers before the second ones.

Version 2 has the names of the arms before the shapes: a JSON list, after its length. Arms without names are written as
version 1, which has none, also not those that arms had in earlier releases.

What all people share (tables, settings, arms) is not in it: it is made again from the arms and the policy.
"""

from __future__ import annotations

import json
import math
import struct
import sys
import zlib
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, TypeVar

import numpy as np

from rogue_bandits.online.personal import Array, leaves, rebuilt, with_room_of
from rogue_bandits.types import Arm

T = TypeVar("T")
MAGIC, NAMELESS, VERSION = b"RBS", 1, 2
IN_ORDER = sys.byteorder == "little"
HEAD = struct.Struct("<3sB8sI")
LENGTH = struct.Struct("<I")


def names_of(arms: Sequence[Arm]) -> list[str]:
    """Return what arms are called; empty for those without a name."""
    return [arm.name for arm in arms]


def packed(one: Any, fingerprint: bytes, names: Sequence[str] = ()) -> bytes:
    """Return the bytes of a population of one; `names` are those of its arms."""
    shapes: list[int] = []
    words: list[bytes] = []
    rest: list[bytes] = []
    for array in leaves(one):
        shapes.extend(array.shape[1:])
        (words if array.itemsize == 8 else rest).append(array.astype(array.dtype.newbyteorder("<")).tobytes())
    planes = np.frombuffer(b"".join(words), dtype=np.uint8).reshape(-1, 8).T.tobytes()
    version, called = (VERSION, _packed_names(names)) if any(names) else (NAMELESS, b"")
    body = zlib.compress(called + struct.pack(f"<{len(shapes)}I", *shapes) + planes + b"".join(rest), 6)
    return HEAD.pack(MAGIC, version, fingerprint, zlib.crc32(body)) + body


def _packed_names(names: Sequence[str]) -> bytes:
    text = json.dumps(list(names)).encode()
    return LENGTH.pack(len(text)) + text


def unpacked(snapshot: bytes, like: T, fingerprints: Sequence[bytes], names: Sequence[str] = ()) -> T:
    """Return the population of one that a snapshot holds, which must have one of some fingerprints.

    `like` has the same structure, with room of any size.
    """
    if not isinstance(snapshot, bytes | bytearray | memoryview):
        raise TypeError(f"a snapshot is bytes, not {type(snapshot).__name__}")
    if len(snapshot) < HEAD.size or bytes(snapshot[:3]) != MAGIC:
        raise ValueError(f"this is not a snapshot: it must begin with {MAGIC!r}")
    _, version, mark, crc = HEAD.unpack_from(snapshot)
    if version < 1:
        raise ValueError(f"this snapshot is damaged: it has format version {version}, and the first is 1")
    if version > VERSION:
        raise ValueError(f"this snapshot has format version {version}, and this release reads up to {VERSION}: "
                         "upgrade rogue-bandits")  # fmt: skip
    body = bytes(snapshot[HEAD.size :])
    if zlib.crc32(body) != crc:
        raise ValueError("this snapshot is damaged: its checksum does not match its content")
    raw = zlib.decompress(body)
    if version > NAMELESS:
        saved, raw = _names_before(raw)
        _raise_on_other_names(saved, names)
    if mark not in fingerprints:
        raise ValueError("this snapshot is of other arms or of another policy: pass those with which it was saved")
    return rebuilt(like, _arrays(raw, list(leaves(like))))


def _names_before(raw: bytes) -> tuple[list[str], bytes]:
    """Return the names that come first, and the rest."""
    try:
        end = LENGTH.size + LENGTH.unpack_from(raw)[0]
        return list(json.loads(raw[LENGTH.size : end])), raw[end:]
    except (ValueError, TypeError, struct.error):
        raise ValueError("this snapshot is damaged: its format version is not that of its content") from None


def _raise_on_other_names(saved: Sequence[str], names: Sequence[str]) -> None:
    """Raise a ValueError unless the arms have the names of the snapshot, in its order."""
    if list(saved) != list(names):
        these = f"these are {_listed(names)}" if any(names) else "these have no names"
        raise ValueError(
            f"this snapshot is of arms {_listed(saved)}; {these}: pass arms with the same names in the same order"
        )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(name or f"arm {k}" for k, name in enumerate(names))


def _arrays(raw: bytes, like: list[Array]) -> Iterator[Array]:
    dims = sum(array.ndim - 1 for array in like)
    sizes, at = iter(struct.unpack_from(f"<{dims}I", raw)), 4 * dims
    shapes = [(1, *islice(sizes, array.ndim - 1)) for array in like]
    lengths = [math.prod(shape) for shape in shapes]
    if at + sum(n * array.itemsize for n, array in zip(lengths, like, strict=True)) != len(raw):
        raise ValueError(
            "this snapshot was written by a build that stores other numbers for these arms and this policy: read it "
            "with the version that wrote it"
        )
    count = sum(n for n, array in zip(lengths, like, strict=True) if array.itemsize == 8)
    # A copy, so that it can be written to: the arrays are views of it.
    words = np.frombuffer(raw, np.uint8, 8 * count, at).reshape(8, -1).T.copy().reshape(-1)
    word, other = 0, at + 8 * count
    for shape, n, array in zip(shapes, lengths, like, strict=True):
        size = n * array.itemsize
        if array.itemsize == 8:
            part, word = words[word : word + size], word + size
        else:
            part, other = np.frombuffer(raw, np.uint8, size, other).copy(), other + size
        numbers = part.view(array.dtype).reshape(shape)
        yield with_room_of(numbers if IN_ORDER else numbers.byteswap(), array)
