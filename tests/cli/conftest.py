"""A survey that is designed once for all tests of the command."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_runs import survey_in

import lowkey as lk


@pytest.fixture
def survey(tmp_path: Path) -> Path:
    return survey_in(tmp_path)


@pytest.fixture(scope="session")
def asked(tmp_path_factory: pytest.TempPathFactory) -> lk.Survey:
    return lk.load_survey(survey_in(tmp_path_factory.mktemp("asked")))


@pytest.fixture(scope="session")
def design(asked: lk.Survey) -> lk.Solution:
    """What `lowkey design` finds for the tiny survey with its defaults."""
    return lk.optimize(asked.workload, 1.0)


@pytest.fixture(scope="session")
def deployed(asked: lk.Survey, design: lk.Solution) -> lk.Deployment:
    return lk.deploy(asked.schema, asked.workload, design.mechanism)


@pytest.fixture
def deployment(deployed: lk.Deployment, tmp_path: Path) -> Path:
    path = tmp_path / "survey.lowkey"
    deployed.save(path)
    return path
