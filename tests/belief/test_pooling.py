"""Densities that the arms of a person share: what other arms say of a pair of cells."""

from __future__ import annotations

import numpy as np

from rogue_bandits.belief.bank.pooling import FRESH_LATENTS, LOSS_LATENTS, coupling, fill_cells
from rogue_bandits.belief.bank.runs import CELLS
from rogue_bandits.types import Floats


def cells(of_latent: Floats, row: int) -> Floats:
    found = np.empty(CELLS)
    fill_cells(coupling(), of_latent, row, np.empty(LOSS_LATENTS), found)
    return found


def test_cells_are_mixtures_over_the_latent_numbers() -> None:
    of_latent, t = np.random.default_rng(1).dirichlet(np.ones(FRESH_LATENTS * LOSS_LATENTS)).reshape(8, 16), coupling()
    for row in range(0, CELLS, 5):
        np.testing.assert_allclose(cells(of_latent, row), t.fresh[row] @ of_latent @ t.loss, rtol=1e-9)


def test_arms_that_contradict_each_other_leave_little_but_not_nothing() -> None:
    """Products of densities of arms at opposite ends are as small as 1e-30, and are divided by their sum later."""
    of_latent = np.random.default_rng(2).dirichlet(np.ones(FRESH_LATENTS * LOSS_LATENTS)).reshape(8, 16)
    np.testing.assert_allclose(cells(1e-30 * of_latent, 3), 1e-30 * cells(of_latent, 3), rtol=1e-9, atol=0.0)
