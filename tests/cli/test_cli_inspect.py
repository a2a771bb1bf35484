"""lowkey inspect: what stands in the file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_runs import failure, output, record

import lowkey as lk
from lowkey.cli.formats import percent


def test_the_record(deployment: Path, deployed: lk.Deployment, design: lk.Solution) -> None:
    found = record("inspect", deployment, "--users", 400)
    assert (found["digest"], found["epsilon"], found["outputs"]) == (deployed.digest, 1.0, deployed.outputs)
    assert (found["cells"], found["queries"]) == (6, 6)
    assert found["attributes"] == [
        {"name": "plan", "size": 2, "labels": ["free", "pro"]},
        {"name": "age", "size": 3, "labels": ["[0, 18)", "[18, 65)", "[65, 120)"]},
    ]
    assert [one["error"] for one in found["families"]] == pytest.approx(
        [one.error(400) for one in design.analysis.families], rel=1e-12
    )


def test_the_text(deployment: Path, deployed: lk.Deployment, design: lk.Solution) -> None:
    text = output("inspect", deployment, "--users", 400)
    assert text.startswith("ε = 1, mechanism")
    assert f"digest {deployed.digest}\n" in text
    assert "[0, 18), [18, 65), [65, 120)" in text  # brackets are no markup
    assert all(percent(one.error(400)) in text for one in design.analysis.families)


def test_an_altered_file_is_refused(deployment: Path) -> None:
    content = json.loads(deployment.read_text(encoding="utf-8"))
    content["epsilon"] = 0.5
    deployment.write_text(json.dumps(content), encoding="utf-8")
    assert "damaged or altered" in failure("inspect", deployment)
