"""lowkey design and compare: the library's numbers, the file, and nothing lost."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from cli_runs import WEIGHTED, failure, output, record, run, survey_in

import lowkey as lk
from lowkey.cli.formats import enough, percent, variance
from lowkey.optimize import Status


def test_the_numbers_are_the_library_s(survey: Path, design: lk.Solution) -> None:
    found = record("design", survey, "--alpha", 0.05, "--users", 5000)
    assert found["worst_case"] == design.analysis.worst_case
    assert found["average"] == design.analysis.average
    assert found["users_needed"] == pytest.approx(design.analysis.sample_complexity(0.05), rel=1e-12)
    assert found["error"] == pytest.approx((design.analysis.worst_case / (6 * 5000)) ** 0.5, rel=1e-12)
    for family, known in zip(found["families"], design.analysis.families, strict=True):
        assert family["error"] == known.error(5000)
        assert family["users_needed"] == pytest.approx(known.worst_case / (family["queries"] * 0.05), rel=1e-12)
    assert [(one["name"], one["queries"]) for one in found["families"]] == [("Plans", 2), ("Ages", 3), ("Policy", 1)]
    assert found["bound"]["value"] == design.bound.value
    assert found["status"] == "converged"


def test_the_text_holds_the_same_numbers(survey: Path, design: lk.Solution) -> None:
    text = output("design", survey)
    assert "Plans and ages: 6 queries over 6 cells, ε = 1" in text
    rows = {line.split("  ")[1]: line for line in text.splitlines() if line.startswith("  ")}
    for known in design.analysis.families:
        row = rows[known.family.name]
        assert percent(known.error(100_000)) in row
        assert enough(known.worst_case / (known.family.workload.shape[0] * 0.01)) in row
    assert variance(design.analysis.worst_case) in rows["optimized"]
    assert enough(design.analysis.sample_complexity()) in rows["optimized"]
    assert "1.0×" in rows["optimized"]


def test_the_bound_is_told_in_people(survey: Path, design: lk.Solution) -> None:
    text = " ".join(output("design", survey, "--epsilon", "0.2").split())
    least = lk.optimize(lk.load_survey(survey).workload, 0.2).bound
    assert least.value > 0
    assert f"fewer than {enough(least.sample_complexity(6))} people in the worst case ({least.kind})" in text


def test_a_bound_of_zero_says_nothing(survey: Path) -> None:
    text = output("compare", survey, "--epsilon", "30")
    assert lk.lower_bound(lk.load_survey(survey).workload, 30.0).value == 0
    assert "Lower bound: the nuclear norm bound says nothing here (it is 0)." in text
    assert record("compare", survey, "--epsilon", 30)["bound"]["gap"] is None


def test_competitors_are_ranked_and_those_that_cannot_say_why(survey: Path, design: lk.Solution) -> None:
    found = record("compare", survey)["competitors"]
    assert {one["name"] for one in found} == {"optimized", *lk.mechanisms.names()}
    numbers = [one["worst_case"] for one in found if one["worst_case"] is not None]
    assert numbers == sorted(numbers)
    workload = lk.load_survey(survey).workload
    for one in found:
        if one["name"] == "hadamard":
            assert one["worst_case"] == lk.analyze(workload, lk.mechanisms.create("hadamard", 6, 1.0)).worst_case
            assert one["ratio"] == pytest.approx(one["worst_case"] / design.analysis.worst_case)
    missing = [one for one in found if one["worst_case"] is None]
    assert all(one["reason"] and one["ratio"] is None for one in missing)
    text = output("compare", survey)
    assert all(f"{one['name'].replace('_', ' ')}: not here" in text for one in missing)


def test_weights_make_the_average_query_a_weighted_mean(tmp_path: Path) -> None:
    found = record("design", survey_in(tmp_path, WEIGHTED))
    assert found["users_needed"] == pytest.approx(found["worst_case"] / ((9 * 2 + 3 + 1) * 0.01), rel=1e-12)
    errors = [family["error"] for family in found["families"]]
    assert min(errors) <= found["error"] <= max(errors)


def test_epsilon_and_objective_can_be_chosen(survey: Path) -> None:
    found = record("design", survey, "--epsilon", 2, "--objective", "average", "--method", "projected-gradient")
    workload = lk.load_survey(survey).workload
    expected = lk.optimize(workload, 2.0, "average", "projected-gradient")
    assert (found["epsilon"], found["objective"]) == (2.0, "average")
    assert found["average"] == expected.value


def test_the_deployment_stands_next_to_the_survey(survey: Path, deployed: lk.Deployment) -> None:
    text = output("design", survey)
    written = lk.load(survey.with_name("survey.lowkey"))
    assert written == deployed
    assert f"Wrote {survey.with_name('survey.lowkey')}" in text.replace("\n", "")
    assert deployed.digest[:12] in text


def test_the_same_design_replaces_itself_and_another_is_kept(survey: Path) -> None:
    first = record("design", survey)
    assert record("design", survey)["kept"] is None
    second = record("design", survey, "--epsilon", 2)
    assert second["digest"] != first["digest"]
    kept = Path(second["kept"])
    assert kept.name == f"survey.{first['digest'][:8]}.lowkey"
    assert lk.load(kept).digest == first["digest"]
    assert lk.load(survey.with_name("survey.lowkey")).digest == second["digest"]


def test_nothing_else_is_overwritten(survey: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lowkey.cli.optimization.optimize", None)  # refused before any work
    before = survey.read_text(encoding="utf-8")
    assert "where something else stands; expected a new name, or a deployment" in failure(
        "design", survey, "-o", survey
    )
    assert "(a directory); expected a file name" in failure("design", survey, "-o", survey.parent)
    assert "a directory that exists" in failure("design", survey, "-o", survey.parent / "none" / "x.lowkey")
    assert survey.read_text(encoding="utf-8") == before


def test_an_interrupted_search_keeps_the_best_so_far(
    survey: Path, design: lk.Solution, deployed: lk.Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped = replace(design, status=Status.INTERRUPTED)
    monkeypatch.setattr("lowkey.cli.optimization.optimize", lambda *args, **options: stopped)
    result = run("design", survey)
    assert result.exit_code == 130
    assert result.stderr == "Interrupted: this is the best found so far.\n"
    assert lk.load(survey.with_name("survey.lowkey")) == deployed
    assert "interrupted. Stopped by hand" in " ".join(result.stdout.split())


def test_the_time_limit_reaches_the_optimizer(survey: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    limits = []

    def spy(*args: object, time_limit: float | None, **options: object) -> lk.Solution:
        limits.append(time_limit)
        raise KeyboardInterrupt

    monkeypatch.setattr("lowkey.cli.optimization.optimize", spy)
    for arguments in ((), ("--time-limit", 2.5), ("--time-limit", "inf")):
        run("compare", survey, *arguments)
    assert limits == [60.0, 2.5, None]


def test_outputs_and_gap_can_be_set(survey: Path) -> None:
    assert int(str(record("design", survey, "--max-outputs", "8")["outputs"])) <= 8
    design = record("design", survey, "--target-gap", "0.5")
    assert design["status"] == "gap reached"
    assert "gap asked for is proved" in str(design["advice"])


def test_a_histogram_of_many_cells_can_be_deployed(tmp_path: Path) -> None:
    """Subset selection is best there, but nobody could list its outputs."""
    days = ", ".join(f'"{day}"' for day in range(80))
    text = '[survey]\nname = "Days"\nepsilon = 3.0\n[[attribute]]\nname = "day"\nlabels = [DAYS]\n'
    survey = tmp_path / "days.toml"
    survey.write_text(text.replace("DAYS", days) + '[[workload]]\nkind = "histogram"\n')
    assert int(str(record("design", survey, "--time-limit", "2")["outputs"])) <= 32 * 80
