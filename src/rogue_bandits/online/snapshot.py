"""One person as bytes: personal numbers only, versioned, with a hash of the problem and the policy.

    magic "RBS", version, fingerprint of 8 bytes, crc of the rest; then, compressed, of each array its shape and its
    bytes, little-endian, the first bytes of all numbers before the second ones.

What all people share (tables, settings, arms) is not in it: it is made again from the arms and the policy.
"""

from __future__ import annotations

import math
import struct
import sys
import zlib
from collections.abc import Iterator
from itertools import islice
from typing import Any, TypeVar

import numpy as np

from rogue_bandits.online.personal import Array, leaves, rebuilt

T = TypeVar("T")
MAGIC, VERSION = b"RBS", 1
IN_ORDER = sys.byteorder == "little"
HEAD = struct.Struct("<3sB8sI")


def packed(one: Any, fingerprint: bytes) -> bytes:
    """Return the bytes of a population of one."""
    shapes: list[int] = []
    words: list[bytes] = []
    rest: list[bytes] = []
    for array in leaves(one):
        shapes.extend(array.shape[1:])
        (words if array.itemsize == 8 else rest).append(array.astype(array.dtype.newbyteorder("<")).tobytes())
    planes = np.frombuffer(b"".join(words), dtype=np.uint8).reshape(-1, 8).T.tobytes()
    body = zlib.compress(struct.pack(f"<{len(shapes)}I", *shapes) + planes + b"".join(rest), 6)
    return HEAD.pack(MAGIC, VERSION, fingerprint, zlib.crc32(body)) + body


def unpacked(snapshot: bytes, like: T, fingerprint: bytes) -> T:
    """Return the population of one that a snapshot holds; `like` has the same structure, with room of any size."""
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
    if mark != fingerprint:
        raise ValueError("this snapshot is of other arms or of another policy: it continues only with those of its own")
    return rebuilt(like, _arrays(zlib.decompress(body), list(leaves(like))))


def _arrays(raw: bytes, like: list[Array]) -> Iterator[Array]:
    dims = sum(array.ndim - 1 for array in like)
    sizes, at = iter(struct.unpack_from(f"<{dims}I", raw)), 4 * dims
    shapes = [(1, *islice(sizes, array.ndim - 1)) for array in like]
    lengths = [math.prod(shape) for shape in shapes]
    if at + sum(n * array.itemsize for n, array in zip(lengths, like, strict=True)) != len(raw):
        raise ValueError("this snapshot was written by a build that keeps other numbers for these arms and this policy")
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
        yield numbers if IN_ORDER else numbers.byteswap()
