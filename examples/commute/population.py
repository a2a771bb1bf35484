"""A synthetic working population for survey.toml. Nobody real: no number here comes from a census or a data set.

The joint distribution of the four attributes is built from left to right,

    P(age) · P(mode | age) · P(minutes | mode) · P(income | age, mode),

with tables chosen by hand so that what people expect of such data is there: the young ride and walk more and earn
less, drivers are the largest group from 25 on, public transport takes longest, and those who work from home (their
minutes are of the days on which they do go in) earn most. Given age and mode, minutes and income are independent.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

import lowkey as lk

Shares = npt.NDArray[np.float64]
People = npt.NDArray[np.int64]

ATTRIBUTES = ("age", "mode", "minutes", "income")

# [16, 25), [25, 35), [35, 50), [50, 65), [65, ∞)
AGE = np.array([0.14, 0.24, 0.33, 0.25, 0.04])

# By age; columns: car, public transport, bicycle or foot, works from home
MODE = np.array(
    [
        [0.38, 0.30, 0.27, 0.05],
        [0.45, 0.24, 0.17, 0.14],
        [0.56, 0.15, 0.12, 0.17],
        [0.60, 0.14, 0.12, 0.14],
        [0.55, 0.10, 0.10, 0.25],
    ]
)

# By mode; columns: [0, 15), [15, 30), [30, 60), [60, ∞)
MINUTES = np.array(
    [
        [0.27, 0.38, 0.27, 0.08],
        [0.05, 0.24, 0.45, 0.26],
        [0.52, 0.36, 0.10, 0.02],
        [0.80, 0.08, 0.07, 0.05],
    ]
)

# By age; columns: [0, 1500), [1500, 3000), [3000, 4500), [4500, ∞)
INCOME = np.array(
    [
        [0.52, 0.38, 0.08, 0.02],
        [0.16, 0.46, 0.27, 0.11],
        [0.11, 0.36, 0.31, 0.22],
        [0.13, 0.36, 0.29, 0.22],
        [0.30, 0.34, 0.20, 0.16],
    ]
)

# By mode: the odds of each band of income against the one below are e^tilt times those of the age group.
TILT = np.array([0.15, -0.15, -0.25, 0.45])


def shares(schema: lk.Schema) -> Shares:
    """The probability of each cell of the survey's schema, in the schema's order."""
    joint: Shares = np.einsum("a,am,mt,ami->amti", AGE, MODE, MINUTES, _income_by_age_and_mode())
    if schema.names != ATTRIBUTES or schema.sizes != joint.shape:
        raise ValueError(f"this population has {ATTRIBUTES} of sizes {joint.shape}; the schema is {schema!r}")
    return joint.reshape(-1)


def draw(schema: lk.Schema, users: int, seed: int = 0) -> People:
    """How many of `users` people, drawn independently from the population, are in each cell."""
    return np.random.default_rng(seed).multinomial(users, shares(schema))


def _income_by_age_and_mode() -> Shares:
    bands = np.arange(INCOME.shape[1])
    tilted = INCOME[:, None, :] * np.exp(TILT[:, None] * bands)
    normalised: Shares = tilted / tilted.sum(axis=2, keepdims=True)
    return normalised
