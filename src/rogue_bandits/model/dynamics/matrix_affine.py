"""Clipped affine dynamics of a vector: x' = proj(A·x + B·played + K)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rogue_bandits.compile.laws import inlined
from rogue_bandits.model.dynamics.clipped_affine import KINK, bounds_fault, clip
from rogue_bandits.model.dynamics.enclosure import AffineForm, next_box, widen
from rogue_bandits.model.dynamics.projected import Vectorial, dot, extent, lipschitz_state, next_vector, tangent
from rogue_bandits.model.validation import dynamics_fault
from rogue_bandits.types import Arm, Floats, Matrix, Vector

ROUNDING = 1e-12
OBLIQUE = 1e-9  # relative: what other components may contribute to a kink that counts as parallel to an axis


class MatrixAffine(NamedTuple):
    """x' = clip(decay·x + pull·played + drift, lo, hi), component by component, with a matrix for decay.

    A message may wear out on two scales: here a fast state, and a slow one that the fast one drags along.

    >>> from rogue_bandits.types import next_state
    >>> d = MatrixAffine(decay=((0.5, 0.0), (0.125, 0.75)), pull=(-1.0, 0.0), drift=(0.5, 0.125), lo=(0, 0), hi=(1, 1))
    >>> next_state(d, (1.0, 1.0), 1.0), next_state(d, (0.0, 1.0), 0.0)
    (array([0., 1.]), array([0.5  , 0.875]))
    """

    decay: Matrix
    pull: Vector
    drift: Vector
    lo: Vector
    hi: Vector


Vectorial.register(MatrixAffine)


@inlined
def _pushed(d: MatrixAffine, played_t: float, j: int) -> float:
    """Return component j of pull·played + drift."""
    return d.pull[j] * played_t + d.drift[j]


@inlined
def free(d: MatrixAffine, x_t: Floats, played_t: float, j: int) -> float:
    """Return component j of decay·x + pull·played + drift, before it is clipped."""
    return _pushed(d, played_t, j) + dot(d.decay[j], x_t)


@next_vector.register(MatrixAffine)
def matrix_affine_next_vector(d: MatrixAffine, x_t: Floats, played_t: float, x_tp1: Floats) -> None:
    """x_{t+1} = clip(decay x_t + pull played_t + drift, lo, hi).  [Sec. 2.1]"""
    for j in range(len(x_t)):
        x_tp1[j] = clip(free(d, x_t, played_t, j), d.lo[j], d.hi[j])


@tangent.register(MatrixAffine)
def matrix_affine_tangent(
    d: MatrixAffine, x_t: Floats, v_t: Floats, played_t: float, inwards: bool, v_tp1: Floats
) -> None:
    """Write decay·v where no clip is active, and at a kink if it points inside; else 0."""
    for j in range(len(x_t)):
        at, margin, along = free(d, x_t, played_t, j), KINK * (d.hi[j] - d.lo[j]), dot(d.decay[j], v_t)
        above = at >= d.lo[j] - margin if inwards and along > 0.0 else at > d.lo[j] + margin
        below = at <= d.hi[j] + margin if inwards and along < 0.0 else at < d.hi[j] - margin
        v_tp1[j] = along if above and below else 0.0


@lipschitz_state.register(MatrixAffine)
def matrix_affine_lipschitz_state(d: MatrixAffine) -> float:
    """Return the spectral norm of decay: clipping does not expand."""
    norm = float(np.linalg.norm(np.array(d.decay), 2))
    return norm if norm < 1.0 - 1e-12 else 1.0  # a rotation does not contract by rounding


@inlined
def _free_range(d: MatrixAffine, lo: Floats, hi: Floats, played_t: float, j: int) -> tuple[float, float]:
    """Return the range of `free` over the box from lo to hi."""
    least, most = extent(d.decay[j], lo, hi)
    return _pushed(d, played_t, j) + least, _pushed(d, played_t, j) + most


@next_box.register(MatrixAffine)
def matrix_affine_next_box(d: MatrixAffine, lo: Floats, hi: Floats, played_t: float, lo2: Floats, hi2: Floats) -> None:
    """Write the bounds by interval arithmetic."""
    for j in range(lo.size):
        least, most = _free_range(d, lo, hi, played_t, j)
        lo2[j], hi2[j] = clip(least, d.lo[j], d.hi[j]), clip(most, d.lo[j], d.hi[j])


@widen.register(MatrixAffine)
def matrix_affine_widen(d: MatrixAffine, form: AffineForm, played_t: float) -> None:
    """Map the form linearly where no clip is active, to a constant where one always is, else by the chord."""
    n = form.x.size
    for j in range(n):
        at, margin = free(d, form.x, played_t, j), 0.0
        for k in range(n):
            margin += abs(d.decay[j][k]) * form.margin[k]
            form.slope_after[j, k] = 0.0
            for i in range(n):
                form.slope_after[j, k] += d.decay[j][i] * form.slope[i, k]
        far = margin
        for k in range(n):
            far += abs(form.slope_after[j, k]) * form.half[k]
        least, most = _free_range(d, form.hull.lo, form.hull.hi, played_t, j)
        form.after[0, j], form.after[1, j] = _clip_form(
            d, form, j, at, margin, max(least, at - far), min(most, at + far)
        )
    for j in range(n):
        form.x[j], form.margin[j] = form.after[0, j], form.after[1, j]
        for k in range(n):
            form.slope[j, k] = form.slope_after[j, k]


@inlined
def _clip_form(
    d: MatrixAffine, form: AffineForm, j: int, at: float, margin: float, least: float, most: float
) -> tuple[float, float]:
    """Clip component j, which is `at` in the middle and runs from least to most; return its new middle and margin."""
    lo, hi = d.lo[j], d.hi[j]
    tiny = ROUNDING * (hi - lo)
    if least >= lo - tiny and most <= hi + tiny:
        return at, margin
    if most - least <= tiny or most <= lo or least >= hi:
        _scale_row(form, j, 0.0)
        return clip(0.5 * (least + most), lo, hi), 0.5 * tiny
    chord = (clip(most, lo, hi) - clip(least, lo, hi)) / (most - least)
    # clip(u) − chord·u is linear between least, the two kinks and most: its extremes are there.
    low = high = clip(least, lo, hi) - chord * least
    for kink in (lo, hi):
        if least < kink < most:
            low, high = min(low, kink - chord * kink), max(high, kink - chord * kink)
    added = 0.5 * (high - low)
    _attribute_margin(form, j, at, margin, lo if least < lo else hi, added)
    _scale_row(form, j, chord)
    return chord * at + 0.5 * (low + high), chord * margin + added


@inlined
def _scale_row(form: AffineForm, j: int, by: float) -> None:
    """Multiply the slopes of component j by `by`."""
    for k in range(form.x.size):
        form.slope_after[j, k] *= by


@inlined
def _attribute_margin(form: AffineForm, j: int, at: float, margin: float, kink: float, added: float) -> None:
    """Divide a margin among the components of x0; if only one has a share, note where the kink cuts it."""
    far, most, top = margin, 0.0, 0
    for k in range(form.x.size):
        part = abs(form.slope_after[j, k]) * form.half[k]
        far += part
        if part > most:
            most, top = part, k
    for k in range(form.x.size):
        form.margin_share[k] += added * abs(form.slope_after[j, k]) * form.half[k] / far if far > 0.0 else 0.0
    if most > 0.0 and far - most <= OBLIQUE * far:
        place = form.middle[top] + (kink - at) / form.slope_after[j, top]
        if abs(place - form.middle[top]) < form.half[top] and math.isnan(form.cut[top]):
            form.cut[top] = place


@dynamics_fault.register
def matrix_affine_fault(d: MatrixAffine, arm: Arm) -> str | None:
    """Check that dimensions agree and that the dynamics do not expand.  [Assumption 5]"""
    n = len(d.drift)
    for field in ("decay", "pull", "lo", "hi"):
        if len(getattr(d, field)) != n:
            many = "rows" if field == "decay" else "numbers"
            return f"{field} has {len(getattr(d, field))} {many} where drift has {n} numbers"
    for j in range(n):
        if len(d.decay[j]) != n:
            return f"decay[{j}] has {len(d.decay[j])} numbers where drift has {n}: decay must be square"
    if (wrong := bounds_fault(d)) is not None:
        return wrong
    norm = float(np.linalg.norm(np.array(d.decay), 2))
    if norm > 1.0 + 1e-12:
        return f"decay {d.decay} takes states apart by up to {norm:.6g}: its spectral norm must be at most 1"
    return None
