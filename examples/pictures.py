"""The README's pictures, from the same survey and the same seed as the demo.

python examples/pictures.py --out docs/images
"""

from __future__ import annotations

import argparse
from pathlib import Path

from commute.population import draw
from demo import ITERATIONS, SURVEY, USERS, collect, design

import lowkey as lk
from lowkey.report.families import pictures
from lowkey.report.people_needed import people_needed
from lowkey.report.theme import DARK, LIGHT


def main() -> None:
    parser = argparse.ArgumentParser(description="Draw the README's pictures.")
    parser.add_argument("--out", type=Path, default=Path("docs/images"), help="folder of the pictures")
    folder: Path = parser.parse_args().out
    survey = lk.load_survey(SURVEY)
    results = collect(survey, design(survey, ITERATIONS), draw(survey.schema, USERS), repeats=1, seed=0)
    (commute,) = pictures(results.families[0], survey.schema, results.estimate.confidence)
    folder.mkdir(parents=True, exist_ok=True)
    for name, picture in (("people-needed", people_needed(results)), ("how-people-commute", commute)):
        for shade, theme in (("light", LIGHT), ("dark", DARK)):
            (folder / f"{name}-{shade}.svg").write_text(picture.svg(theme), encoding="utf-8")


if __name__ == "__main__":
    main()
