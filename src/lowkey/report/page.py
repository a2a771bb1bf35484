"""The page: results as one HTML file that needs nothing else and asks nobody for anything."""

from __future__ import annotations

import importlib.metadata
import importlib.util
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lowkey.errors import InvalidInput, MissingDependency
from lowkey.files import FilePath
from lowkey.report import wording
from lowkey.report.families import pictures
from lowkey.report.people_needed import people_needed
from lowkey.report.picture import Picture
from lowkey.report.results import FamilyResult, Results
from lowkey.report.tables import accuracy_table, answers_table, competitors_table, design_table
from lowkey.report.theme import DARK, LIGHT, style_variables

if TYPE_CHECKING:
    from jinja2 import Environment

MOST_PICTURES = 12  # of one family
MOST_BESIDE = 8  # answers that stand beside their picture rather than folded away


def page(results: Results) -> str:
    """The results as a self-contained HTML page: no scripts, no requests, readable on a phone, light or dark."""
    templates = _templates()
    colours = {"light": style_variables(LIGHT), "dark": style_variables(DARK)}
    css = templates.from_string(_source("page.css")).render(colours)
    return templates.from_string(_source("page.html.j2")).render(_content(results), css=_safe(css))


def write_page(results: Results, path: FilePath) -> Path:
    """Write the page, making its folder if need be; returns where it is."""
    target = Path(path)
    content = page(results)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content, encoding="utf-8")
    except OSError as error:
        raise InvalidInput("the page's file", f"{str(target)!r} ({error.strerror})", "a writable place") from error
    return target


def _content(results: Results) -> dict[str, Any]:
    return {
        "title": results.title,
        "version": importlib.metadata.version("lowkey"),
        "lead": wording.lead(results),
        "facts": wording.facts(results),
        "privacy": wording.privacy(results),
        "design": design_table(results),
        "need": wording.need(results),
        "needed": _drawn(people_needed(results), "needed"),
        "competitors": competitors_table(results),
        "checked": wording.checked(results),
        "accuracy": None if results.truth is None else accuracy_table(results),
        "reading": wording.reading(results),
        "families": [_family(one, results, place) for place, one in enumerate(results.families)],
        "provenance": wording.provenance(results),
    }


def _family(one: FamilyResult, results: Results, place: int) -> dict[str, Any]:
    drawings = pictures(one, results.deployment.schema, results.estimate.confidence)
    return {
        "name": one.name,
        "words": wording.family_words(one),
        "pictures": [
            _drawn(picture, f"family{place}-{number}") for number, picture in enumerate(drawings[:MOST_PICTURES])
        ],
        "left_out": len(drawings[MOST_PICTURES:]),
        "table": answers_table(one),
        "is_small": len(one.answers) <= MOST_BESIDE and len(drawings) <= 1,
    }


def _drawn(picture: Picture, key: str) -> dict[str, Any]:
    return {"title": picture.title, "svg": _safe(picture.inline(key))}


def _templates() -> Environment:
    if importlib.util.find_spec("jinja2") is None:
        raise MissingDependency("Jinja2", "the HTML page", "report")
    from jinja2 import Environment, StrictUndefined

    return Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True)


def _safe(text: str) -> str:
    """Markup that the template must not escape: our own, with every text in it escaped already."""
    from markupsafe import Markup

    return Markup(text)


def _source(name: str) -> str:
    return resources.files("lowkey.report").joinpath(name).read_text(encoding="utf-8")
