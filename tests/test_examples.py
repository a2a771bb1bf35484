"""The survey of many questions: what its comments say, and the whole way with a short design."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import lowkey as lk
from lowkey.estimate import exact_answers
from lowkey.simulate import simulate_places

SURVEY = lk.load_survey(Path(__file__).parent.parent / "examples" / "symptoms" / "survey.toml")


def test_it_asks_24_questions() -> None:
    assert SURVEY.schema.sizes == (2,) * 24
    assert SURVEY.schema.size == 2**24 == 16_777_216
    assert [part.name for part in SURVEY.parts] == ["Each complaint", "Pairs", "Fatigue after an infection"]


def test_it_goes_the_whole_way() -> None:
    design = lk.optimize(SURVEY.workload, SURVEY.epsilon)
    assert design.gap < 0.2
    deployment = lk.deploy(SURVEY.schema, SURVEY.workload, design.mechanism)
    places = (np.random.default_rng(0).random((50_000, 24)) < 0.2).astype(np.int64)
    made = lk.estimate(deployment, simulate_places(deployment, places))
    truth = exact_answers(SURVEY.workload, places)
    for family in design.analysis.families:
        own = slice(family.family.start, family.family.stop)
        wrong = (made.answers - truth)[own] / family.family.weight / len(places)
        assert np.sqrt(np.mean(wrong**2)) < 1.5 * family.error(len(places))
    assert np.mean((made.low <= truth) & (truth <= made.high)) == pytest.approx(0.95, abs=0.03)
