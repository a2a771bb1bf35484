"""Ages beside yes-or-no questions: designed, inspected, simulated and estimated without a list of outputs."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_runs import output, record

SURVEY = (
    '[survey]\nname = "Ages"\nepsilon = 1.0\n[[attribute]]\nname = "age"\nedges = [0, 20, 30, 40, 50, 60, 70, 80, 99]\n'
    + "".join(f'[[attribute]]\nname = "q{i}"\nlabels = ["no", "yes"]\n' for i in range(10))
    + '[[workload]]\nkind = "prefix"\nname = "Younger"\nattributes = ["age"]\n'
    + '[[workload]]\nkind = "k_way_marginals"\nname = "Pairs"\nk = 2\n'
)


def test_an_ordered_attribute_beside_questions_goes_the_whole_way(tmp_path: Path) -> None:
    survey, deployment, counts = (tmp_path / name for name in ("survey.toml", "survey.lowkey", "counts.json"))
    survey.write_text(SURVEY)
    designed = record("design", survey, "--target-gap", 0.05)
    assert designed["origin"] == "others at random"
    assert designed["outputs"] > 32 * 8 * 2**10
    assert record("inspect", deployment)["families"] == designed["families"]
    found = record("simulate", deployment, "--users", 5000, "-o", counts)
    for family in found["families"]:
        assert family["error"] < 2 * family["designed_error"]
    assert found["families"][1]["intervals_that_hold"] == pytest.approx(0.95 * 340, rel=0.07)
    assert "age in [0, 20) and q0 = no" in output("estimate", deployment, counts)
