"""The page: whole in itself, sound HTML, readable by everybody, with the numbers that the library computes."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from report_cases import FAMILIES, PEOPLE, SCHEMA, results

import lowkey as lk
from lowkey.errors import InvalidInput, MissingDependency
from lowkey.report import Results, page, write_page
from lowkey.report.page import MOST_PICTURES

VOID = {"meta", "link", "br", "hr", "img", "input"}


class Outline(HTMLParser):
    """The page's elements with their attributes; fails on tags that do not match."""

    def __init__(self, content: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.texts: list[str] = []
        self._open: list[str] = []
        self.feed(content)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open[-1:] != ["style"]:
            self.texts.append(data)

    def all(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.elements if name == tag]

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())


@pytest.fixture(scope="module")
def content() -> str:
    return page(results())


@pytest.fixture(scope="module")
def outline(content: str) -> Outline:
    return Outline(content)


def test_asks_nobody_for_anything(content: str, outline: Outline) -> None:
    assert "http://" not in content
    assert "https://" not in content
    assert "@import" not in content
    assert outline.all("script") == outline.all("img") == outline.all("iframe") == []
    assert [link["href"] for link in outline.all("link")] == ["data:,"]
    assert set(re.findall(r"url\((.)", content)) <= {"#"}
    assert not [name for _, attributes in outline.elements for name in attributes if name in ("src", "srcset")]


def test_every_reference_has_one_target(outline: Outline) -> None:
    ids = [attributes["id"] for _, attributes in outline.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    values = [value for _, attributes in outline.elements for value in attributes.values()]
    used = {found for value in values for found in re.findall(r"url\(#([^)]+)\)", value)}
    used |= {attributes["href"][1:] for _, attributes in outline.elements if attributes.get("href", "").startswith("#")}
    used |= {attributes["aria-labelledby"] for _, attributes in outline.elements if "aria-labelledby" in attributes}
    assert used
    assert used <= set(ids)


def test_every_style_variable_is_defined_light_and_dark(content: str) -> None:
    light, dark = content.split("prefers-color-scheme: dark", 1)
    used = set(re.findall(r"var\((--[a-z]+)\)", content))
    assert used <= set(re.findall(r"(--[a-z]+):", light))
    assert used - {"--line"} <= set(re.findall(r"(--[a-z]+): #", dark[:400]))
    assert "#0101" not in content


def test_names_every_family_and_escapes_what_people_wrote(content: str, outline: Outline) -> None:
    for name in FAMILIES:
        assert name in outline.text
    assert "Plans <all>" not in content
    assert "Plans &lt;all&gt;" in content
    assert "<title>Plans &amp; people</title>" in content


def test_every_picture_is_described(outline: Outline) -> None:
    pictures = outline.all("svg")
    assert len(pictures) == len(outline.all("figure")) == 10
    assert all(picture["role"] == "img" and len(picture["aria-label"]) > 40 for picture in pictures)
    assert all(picture["viewbox"].startswith("0 0 400 ") for picture in pictures)
    bars = next(picture for picture in pictures if "free" in picture["aria-label"])
    assert "truth 12.3%" in bars["aria-label"]  # 1,000 + … + 6,000 of 171,000


def test_tables_have_captions_and_headings(outline: Outline) -> None:
    assert len(outline.all("caption")) == len(outline.all("table")) == 9
    assert {heading["scope"] for heading in outline.all("th")} == {"col", "row"}


def test_tells_the_numbers_of_the_library(outline: Outline) -> None:
    known = results()
    assert "171,000 simulated people" in outline.text
    assert f"{known.deployment.outputs} possible reports" in outline.text
    assert "exp(ε) ≈ 7.39 times" in outline.text
    assert known.deployment.digest in outline.text
    assert "of 60" not in outline.text
    assert "Repeating the survey 60 times" in outline.text
    assert f"mechanism needs {known.people_needed:,.0f} people" in outline.text


def test_randomized_response_needs_as_many_people_as_the_paper_says() -> None:
    """75 at α = 0.01 for two cells and ε = log 3: 1,875 at α = 0.02²."""
    schema = lk.Schema([lk.Categorical("answer", ["no", "yes"])])
    queries = lk.workloads.histogram(2).on(schema, "answer")
    mechanism = lk.mechanisms.create("randomized_response", 2, float(np.log(3)))
    deployment = lk.deploy(schema, queries, mechanism)
    found = lk.estimate(deployment, lk.simulate(deployment, [600, 400]))
    bound, design = lk.lower_bound(queries, float(np.log(3))), lk.analyze(queries, mechanism)
    text = Outline(page(Results("Yes or no", deployment, design, bound, (), found))).text
    assert "this survey's mechanism needs 1,875 people" in text
    assert "The best of the others" not in text


def test_without_truth_none_is_told() -> None:
    outline = Outline(page(results(has_truth=False)))
    assert "truth" not in outline.text.lower()
    assert "simulated" not in outline.text
    assert "Does it hold" not in outline.text
    assert all("truth" not in picture["aria-label"] for picture in outline.all("svg"))


def test_many_pictures_are_cut_and_the_page_says_so() -> None:
    schema = lk.Schema([lk.Categorical(f"a{i}", [0, 1]) for i in range(6)])
    queries = lk.workloads.k_way_marginals(schema.sizes, 2).on(schema, *schema.names)  # 15 pairs
    mechanism = lk.mechanisms.create("fourier", schema.size, 4.0, degree=2)
    deployment = lk.deploy(schema, queries, mechanism)
    found = lk.estimate(deployment, lk.simulate(deployment, np.full(64, 100)))
    made = Results("Six", deployment, lk.analyze(queries, mechanism), lk.lower_bound(queries, 4.0), (), found)
    outline = Outline(page(made))
    assert len(outline.all("svg")) == 1 + MOST_PICTURES
    assert "3 more are not drawn; the table has them." in outline.text


def test_write_page_makes_its_folder(tmp_path: Path) -> None:
    target = write_page(results(), tmp_path / "new" / "index.html")
    assert target.read_text(encoding="utf-8") == page(results())


def test_write_page_names_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidInput, match=r"the page's file is .*index.html.*; expected a writable place"):
        write_page(results(), tmp_path / "file" / "index.html")


@pytest.mark.parametrize(("module", "library"), [("jinja2", "Jinja2"), ("matplotlib", "Matplotlib")])
def test_a_missing_library_is_named_with_its_extra(module: str, library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib.util

    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == module else find(name))
    with pytest.raises(MissingDependency, match=rf"{library}, which is not installed.*lowkey\[report\]"):
        page(results())


def test_results_refuse_a_biased_estimate() -> None:
    known = results()
    assert known.consistent is not None
    with pytest.raises(InvalidInput, match=r"the report's estimate is 'wnnls'; expected an unbiased one"):
        Results("x", known.deployment, known.design, known.bound, (), known.consistent)


def test_results_refuse_a_truth_of_another_domain() -> None:
    known = results()
    with pytest.raises(InvalidInput, match="the report's truth"):
        Results("x", known.deployment, known.design, known.bound, (), known.estimate, truth=PEOPLE[1:])
    assert SCHEMA.size == 18
