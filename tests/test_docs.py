"""The documents: their Python runs, their links lead somewhere, and what they list is what there is."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

import lowkey as lk
import lowkey.experiments
from lowkey.experiments.results import COLUMNS
from lowkey.survey_document import MODELS

ROOT = Path(__file__).parent.parent
DOCUMENTS = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")] + sorted(
    (ROOT / "docs").glob("*.md")
)
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)|(?:srcset|src)=\"([^\"]+)\"")


def blocks(document: Path, language: str) -> list[str]:
    return [text for found, text in BLOCK.findall(document.read_text(encoding="utf-8")) if found == language]


def links(document: Path) -> list[str]:
    text = re.sub(r"```.*?```", "", document.read_text(encoding="utf-8"), flags=re.DOTALL)
    return [one or other for one, other in LINK.findall(text)]


def anchors(document: Path) -> set[str]:
    """A heading's anchor, as GitHub makes it."""
    headings = re.findall(r"^#+ (.*)$", document.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def tables(document: str, header: str) -> list[list[str]]:
    """For each table whose first column has this heading, the names in backquotes that start its rows."""
    text = (ROOT / "docs" / document).read_text(encoding="utf-8")
    found = re.findall(rf"^\| {re.escape(header)} \|.*\n\|[-| ]+\n((?:\|.*\n)+)", text, re.MULTILINE)
    return [re.findall(r"^\| `(\w+)", table, re.MULTILINE) for table in found]


@pytest.mark.parametrize("document", [d for d in DOCUMENTS if blocks(d, "python")], ids=lambda d: d.name)
def test_python_runs_from_top_to_bottom(document: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    namespace: dict[str, object] = {}
    for number, text in enumerate(blocks(document, "python")):
        exec(compile(text, f"{document.name}, block {number}", "exec"), namespace)


def test_the_readme_example_has_ten_lines() -> None:
    (example,) = blocks(ROOT / "README.md", "python")
    assert len([line for line in example.splitlines() if line.strip()]) <= 10


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda d: d.name)
def test_links_lead_somewhere(document: Path) -> None:
    for link in links(document):
        if link.startswith("https://"):
            continue
        place, _, anchor = link.partition("#")
        target = document.parent / place if place else document
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


def test_there_are_links_to_every_page() -> None:
    mentioned = {Path(link.partition("#")[0]).name for link in links(ROOT / "docs" / "index.md")}
    assert {path.name for path in (ROOT / "docs").glob("*.md")} - {"index.md"} <= mentioned


def test_make_targets_that_documents_name_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for document in DOCUMENTS:
        named = [
            line.split()[1] for text in blocks(document, "sh") for line in text.splitlines() if line.startswith("make ")
        ]
        assert set(named) <= targets, document


def test_commands_in_documents_are_understood() -> None:
    from typer.main import get_command

    from lowkey.cli import app

    command = get_command(app)
    lines = [line for document in DOCUMENTS for text in blocks(document, "sh") for line in text.splitlines()]
    verbs = [line.split("#")[0].split()[1:] for line in lines if line.startswith("lowkey ")]
    assert {verb for verb, *_ in verbs} == set(command.commands)  # type: ignore[attr-defined]
    for verb, *arguments in verbs:
        command.commands[verb].make_context(verb, list(arguments), resilient_parsing=True)  # type: ignore[attr-defined]


def test_every_mechanism_is_in_both_tables() -> None:
    names = list(lk.mechanisms.names())
    assert tables("mechanisms.md", "Name") == [names, names]


def test_every_experiment_is_in_the_table() -> None:
    assert tables("experiments.md", "Name") == [list(lowkey.experiments.names())]


def test_every_column_of_a_results_file_is_in_the_table() -> None:
    text = (ROOT / "docs" / "experiments.md").read_text(encoding="utf-8")
    listed = [
        name for cell in re.findall(r"^\| (`.*?) \|", text, re.MULTILINE) for name in re.findall(r"`(\w+)`", cell)
    ]
    assert listed[-len(COLUMNS) :] == list(COLUMNS)


def test_every_workload_is_in_the_table() -> None:
    (listed,) = tables("workloads.md", "Constructor")
    assert set(listed) == set(lk.workloads.__all__) - {
        "Workload",
        "product",
        "renamed",
        "stack",
        "workload_from_document",
    }


def test_every_option_of_the_optimizer_is_in_the_table() -> None:
    import inspect

    options = list(inspect.signature(lk.optimize).parameters)[2:]
    (listed,) = tables("optimizer.md", "Option")
    assert sorted(listed) == sorted(options)


def test_every_key_of_a_survey_is_in_the_tables() -> None:
    text = (ROOT / "docs" / "survey.md").read_text(encoding="utf-8")
    for table, model in MODELS.items():
        assert f"`{table}`" in text or f"[{table}]" in text
        for key in model.model_fields:
            assert f"`{key}`" in text, (table, key)


def test_the_survey_in_the_documents_is_one(tmp_path: Path) -> None:
    (example,) = blocks(ROOT / "docs" / "survey.md", "toml")
    assert set(tomllib.loads(example)) == {"survey", "attribute", "workload"}
    (tmp_path / "survey.toml").write_text(example, encoding="utf-8")
    survey = lk.load_survey(tmp_path / "survey.toml")
    assert [(part.name, part.weight) for part in survey.parts] == [("Age distribution", 2.0), ("sql", 1.0)]


def lines_of(result: str) -> list[list[str]]:
    """The rows of a committed result, split into words."""
    return [
        line.split() for line in (ROOT / "benchmarks" / "results" / result).read_text(encoding="utf-8").splitlines()
    ]


def rows_at_one(result: str) -> dict[str, list[str]]:
    """The rows of a table of workload, ε, … for ε = 1, by workload."""
    return {words[0]: words for words in lines_of(result) if len(words) >= 8 and words[1] == "1.0"}


def test_figures_in_the_readme_are_those_of_the_committed_results() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    found = re.findall(r"^\| (\w+) \| (\d+) \| (\S+) \| (\S+%) \| (\S+) \| (\S+) \| ([\d.]+)× \|", text, re.MULTILINE)
    certified = rows_at_one("certified_n64.txt")
    assert [row[0] for row in found if row[1] == "64"] == list(certified)
    larger = [words for device in ("cpu", "cuda") for words in lines_of(f"over_time_{device}.txt")]
    for name, cells, ours, gap, authors, best, factor in found:
        others = rows_at_one(f"algorithm_2_n{cells}.txt")[name]
        assert (authors, best) == (others[2], others[7])
        assert f"{float(best) / float(ours):.1f}" == factor
        if cells == "64":
            assert (ours, gap) == (certified[name][2], certified[name][4])
        else:
            assert any(words[:3] == [name, cells, "1"] and words[5] == ours and gap in words for words in larger)


def test_gaps_in_the_optimizer_page_are_those_of_the_committed_result() -> None:
    text = (ROOT / "docs" / "optimizer.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| (\w+) \| (\S+%) \| (\S+%) \| (\S+%) \| (\S+%) \|$", text, re.MULTILINE)
    committed: dict[str, list[str]] = {}
    for words in lines_of("certified_n64.txt"):
        if len(words) >= 10 and words[4].endswith("%"):
            committed.setdefault(words[0], []).append(words[4])
    assert {name: gaps for name, *gaps in listed} == committed


def test_no_machine_of_ours_is_mentioned() -> None:
    tracked = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True)
    for name in tracked.stdout.split():
        assert not re.search(r"/(home|work|root|Users)/", (ROOT / name).read_text(encoding="utf-8")), name
