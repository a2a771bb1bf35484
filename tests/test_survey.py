"""survey.toml: every kind of workload is what it says, and every slip names file, table and key."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lowkey.errors import InvalidInput, TooLarge
from lowkey.schema import Categorical, Ordered, Schema
from lowkey.survey import Survey, load_survey
from lowkey.survey_document import KINDS
from lowkey.workloads import (
    Workload,
    all_marginals,
    all_range,
    from_matrix,
    histogram,
    k_way_marginals,
    parity,
    prefix,
    ranges,
    sql,
    stack,
)

EXAMPLE = Path(__file__).parent.parent / "examples" / "commute" / "survey.toml"
HEAD = """
[survey]
name = "Plans"
epsilon = 1.5
[[attribute]]
name = "plan"
labels = ["free", "pro"]
[[attribute]]
name = "age"
edges = [0, 18, 65, inf]
outside = "clip"
[[attribute]]
name = "owner"
labels = [false, true]
"""
SCHEMA = Schema(
    [
        Categorical("plan", ["free", "pro"]),
        Ordered("age", [0, 18, 65, math.inf], outside="clip"),
        Categorical("owner", [False, True]),
    ]
)
ALL = '[[workload]]\nkind = "histogram"\n'


@pytest.fixture
def load(tmp_path: Path) -> Callable[[str], Survey]:
    """Writes a survey.toml and reads it."""

    def load(text: str) -> Survey:
        file = tmp_path / "survey.toml"
        file.write_text(text, encoding="utf-8")
        return load_survey(file)

    return load


# -- what is read ---------------------------------------------------------------------


def test_a_survey_has_a_name_an_epsilon_and_a_schema(load: Callable[[str], Survey]) -> None:
    survey = load(HEAD + ALL)
    assert survey.name == "Plans"
    assert survey.epsilon == 1.5
    assert survey.schema == SCHEMA
    assert load(HEAD.replace("1.5", "2") + ALL).epsilon == 2.0


KIND_CASES: dict[str, tuple[str, Callable[[], Workload]]] = {
    "histogram": ("", lambda: histogram(12)),
    "histogram of one": ('attributes = ["age"]', lambda: histogram(3).on(SCHEMA, "age")),
    "histogram, reordered": (
        'attributes = ["owner", "plan"]',
        lambda: histogram(4).on(SCHEMA, "owner", "plan"),
    ),
    "prefix": ('attributes = ["age"]', lambda: prefix(3).on(SCHEMA, "age")),
    "all_range": ('attributes = ["age"]', lambda: all_range(3).on(SCHEMA, "age")),
    "ranges": (
        'attributes = ["age"]\nmin_width = 2\nmax_width = 2',
        lambda: ranges(3, 2, 2).on(SCHEMA, "age"),
    ),
    "ranges, default widths": ('attributes = ["age"]', lambda: all_range(3).on(SCHEMA, "age")),
    "all_marginals": ("", lambda: all_marginals([2, 3, 2])),
    "k_way_marginals": ("k = 2", lambda: k_way_marginals([2, 3, 2], 2)),
    "k_way_marginals of two": (
        'attributes = ["plan", "age"]\nk = 1',
        lambda: k_way_marginals([2, 3], 1).on(SCHEMA, "plan", "age"),
    ),
    "parity": (
        'attributes = ["plan", "owner"]\nk = 2',
        lambda: parity(2, 2).on(SCHEMA, "plan", "owner"),
    ),
    "sql": ('queries = ["owner", "age < 18"]', lambda: sql(SCHEMA, ["owner", "age < 18"])),
    "matrix": (
        'attributes = ["plan"]\nrows = [[1, -1], [0, 2.5]]',
        lambda: from_matrix([[1, -1], [0, 2.5]]).on(SCHEMA, "plan"),
    ),
}


@pytest.mark.parametrize("case", KIND_CASES)
def test_each_kind_is_the_workload_of_that_name(case: str, load: Callable[[str], Survey]) -> None:
    keys, expected = KIND_CASES[case]
    kind = case.split(",")[0].split(" ")[0]
    survey = load(f'{HEAD}[[workload]]\nkind = "{kind}"\n{keys}\n')
    assert np.array_equal(survey.workload.to_dense(), expected().to_dense())
    assert survey.parts[0].kind == kind


def test_every_kind_has_a_case() -> None:
    assert {case.split(",")[0].split(" ")[0] for case in KIND_CASES} == set(KINDS)


def test_a_matrix_is_read_from_a_file_beside_the_survey(tmp_path: Path, load: Callable[[str], Survey]) -> None:
    (tmp_path / "matrix.csv").write_text("1,-1\n0, 2.5\n")
    survey = load(HEAD + '[[workload]]\nkind = "matrix"\nfile = "matrix.csv"\nattributes = ["plan"]\n')
    expected = from_matrix([[1, -1], [0, 2.5]]).on(SCHEMA, "plan")
    assert np.array_equal(survey.workload.to_dense(), expected.to_dense())


def test_parts_are_stacked_with_their_weights_and_names(load: Callable[[str], Survey]) -> None:
    survey = load(
        HEAD
        + '[[workload]]\nkind = "prefix"\nattributes = ["age"]\nweight = 3\nname = "Up to an age"\n'
        + '[[workload]]\nkind = "sql"\nqueries = ["owner"]\n'
    )
    expected = stack([prefix(3).on(SCHEMA, "age"), sql(SCHEMA, ["owner"])], weights=[3, 1])
    assert np.array_equal(survey.workload.to_dense(), expected.to_dense())
    assert [(part.name, part.weight) for part in survey.parts] == [("Up to an age", 3.0), ("sql", 1.0)]
    families = [(f.name, f.weight, f.start, f.stop) for f in survey.workload.families]
    assert families == [("Up to an age", 3.0, 0, 3), ("sql", 1.0, 3, 4)]
    assert list(survey.workload.labels) == ["age < 18", "age < 65", "everyone", "owner"]


def test_the_example_is_of_a_realistic_size() -> None:
    survey = load_survey(EXAMPLE)
    assert survey.schema.names == ("age", "mode", "minutes", "income")
    assert survey.schema.size == 320
    assert {part.kind for part in survey.parts} >= {"histogram", "prefix", "k_way_marginals", "sql"}
    assert survey.workload.shape == (137, 320)
    assert load_survey(str(EXAMPLE)).schema == survey.schema


label_lists = st.one_of(
    st.lists(st.text("abc äß-'\\\"", min_size=1, max_size=5), min_size=1, max_size=4, unique=True),
    st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=4, unique=True),
    st.just([True, False]),
)
edge_lists = st.lists(st.floats(allow_nan=False), min_size=2, max_size=5, unique=True).map(sorted)


def to_toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return "[" + ", ".join(map(to_toml, value)) + "]" if isinstance(value, list) else repr(value)


@settings(max_examples=50, deadline=None)
@given(st.lists(label_lists, max_size=2), st.lists(edge_lists, min_size=1, max_size=2))
def test_attributes_arrive_as_written(
    tmp_path_factory: pytest.TempPathFactory, labels: list[list[str | int]], edges: list[list[float]]
) -> None:
    tables = [f'[[attribute]]\nname = "l{i}"\nlabels = {to_toml(values)}' for i, values in enumerate(labels)]
    tables += [f'[[attribute]]\nname = "e{i}"\nedges = {to_toml(values)}' for i, values in enumerate(edges)]
    file = tmp_path_factory.mktemp("survey") / "survey.toml"
    head = '[survey]\nname = "x"\nepsilon = 1.0\n'
    file.write_text("\n".join([head, *tables, ALL]), encoding="utf-8")
    expected = [Categorical(f"l{i}", values) for i, values in enumerate(labels)]
    assert load_survey(file).schema == Schema([*expected, *(Ordered(f"e{i}", v) for i, v in enumerate(edges))])


# -- what is refused ------------------------------------------------------------------


def part(keys: str) -> str:
    return f"{HEAD}[[workload]]\n{keys}\n"


def edited(old: str, new: str) -> str:
    assert old in HEAD
    return HEAD.replace(old, new) + ALL


FIRST = r"\[\[workload\]\] number 1"
PLAN = r"\[\[attribute\]\] number 1"
AGE = r"\[\[attribute\]\] number 2"
REFUSED: dict[str, tuple[str, str]] = {
    "no TOML": ("[survey", r"is no valid TOML \(Expected .*\); expected a survey in TOML"),
    "empty": ("", r"\[survey\] is not there; expected the table \[survey\] .* 2 more of the file's keys need"),
    "no workload": (HEAD, r"\[\[workload\]\] is not there; expected at least one table \[\[workload\]\]"),
    "unknown table": (HEAD + ALL + "[colour]\n", "'colour' is an unknown key; expected one of survey, attribute"),
    "one attribute table": (
        '[survey]\nname = "x"\nepsilon = 1.0\n[attribute]\nname = "a"\nlabels = ["x"]\n' + ALL,
        r"\[\[attribute\]\] is .*; expected at least one table \[\[attribute\]\]",
    ),
    "no name": (edited('name = "Plans"', ""), r"'name' of \[survey\] is not there; expected a text"),
    "name a number": (edited('name = "Plans"', "name = 5"), r"'name' of \[survey\] is 5; expected a text"),
    "name empty": (edited('name = "Plans"', 'name = ""'), r"'name' of \[survey\] is ''; expected a text"),
    "no epsilon": (edited("epsilon = 1.5", ""), r"'epsilon' of \[survey\] is not there; expected a positive number"),
    "epsilon a text": (edited("1.5", '"high"'), r"'epsilon' of \[survey\] is 'high'; expected a positive number"),
    "epsilon a truth": (edited("1.5", "true"), r"'epsilon' of \[survey\] is True; expected a positive number"),
    "epsilon negative": (edited("1.5", "-1"), r"\[survey\]: epsilon is -1\.0; expected a positive finite number"),
    "epsilon infinite": (edited("1.5", "inf"), r"\[survey\]: epsilon is inf; expected a positive finite number"),
    "epsilon huge": (edited("1.5", "31"), r"\[survey\]: epsilon is 31\.0; expected at most 30"),
    "unknown key of the survey": (
        edited("epsilon", "epsilom"),
        r"'epsil.*' of \[survey\] is .* 1 more of the file's keys",
    ),
    "labels a text": (
        edited('["free", "pro"]', '"free"'),
        r"'labels' of \[\[attribute\]\] number 1 is 'free'; expected a list",
    ),
    "labels twice": (
        edited('"pro"', '"free"'),
        r"\[\[attribute\]\] number 1: the labels of 'plan' is a list with 'free' twice",
    ),
    "labels mixed": (edited('"pro"', "2"), rf"{PLAN}: the labels of 'plan' is a mixture of number and text"),
    "labels of numbers": (
        edited('"free", "pro"', "1.5"),
        f"{PLAN}: the labels of 'plan' .* For bins of a number use Ordered",
    ),
    "no labels": (edited('labels = ["free", "pro"]', ""), f"{PLAN}: the attribute 'plan' is without labels and edges"),
    "empty labels": (edited('"free", "pro"', ""), f"{PLAN}: the labels of 'plan' is an empty list"),
    "labels and edges": (
        edited("outside", 'labels = ["x"]\noutside'),
        f"{AGE}: the attribute 'age' is with both labels and edges",
    ),
    "labels and outside": (
        edited('["free", "pro"]', '["free", "pro"]\noutside = "clip"'),
        f"{PLAN}: outside of 'plan' is 'clip'; expected no such key beside labels",
    ),
    "edges falling": (
        edited("18, 65", "65, 18"),
        r"\[\[attribute\]\] number 2: the edges of 'age' is a list with 18 after 65",
    ),
    "edges texts": (edited("18, 65", '"18"'), f"{AGE}: the edges of 'age' is a list with '18'; expected numbers"),
    "edges NaN": (edited("inf", "nan"), f"{AGE}: the edges of 'age' is a list with NaN"),
    "outside": (edited('"clip"', '"drop"'), "'outside' of .* number 2 is 'drop'; expected \"error\" or \"clip\""),
    "attribute key": (
        edited("outside", "ouside"),
        "'ouside' of .* number 2 is an unknown key; expected one of name, labels",
    ),
    "names twice": (edited('"owner"', '"plan"'), r"\[\[attribute\]\]: the attribute name is 'plan', twice"),
    "no kind": (part("k = 1"), f"'kind' of {FIRST} is not there; expected one of histogram, prefix"),
    "unknown kind": (part('kind = "prefixes"'), f"'kind' of {FIRST} is 'prefixes'; expected one of histogram"),
    "kind a number": (part("kind = 3"), f"'kind' of {FIRST} is 3; expected one of histogram"),
    "workload a number": ("workload = [5]\n" + HEAD, f"{FIRST} is 5; expected"),
    "unknown key": (
        part('kind = "histogram"\nk = 1'),
        f"'k' of {FIRST} is an unknown key; expected one of kind, weight",
    ),
    "key like a kind": (part('kind = "histogram"\nmatrix = 1'), f"'matrix' of {FIRST} is an unknown key"),
    "unknown attribute": (
        part('kind = "histogram"\nattributes = ["agee"]'),
        f"{FIRST}: the attribute is 'agee'; expected one of plan, age, owner",
    ),
    "attribute twice": (part('kind = "histogram"\nattributes = ["age", "age"]'), f"{FIRST}: .* each attribute once"),
    "attributes a text": (
        part('kind = "histogram"\nattributes = "age"'),
        f"'attributes' of {FIRST} is 'age'; expected a list",
    ),
    "attributes empty": (
        part('kind = "histogram"\nattributes = []'),
        rf"'attributes' of {FIRST} is \[\]; expected a list",
    ),
    "weight zero": (part('kind = "histogram"\nweight = 0'), f"'weight' of {FIRST} is 0; expected a positive finite"),
    "weight infinite": (part('kind = "histogram"\nweight = inf'), f"'weight' of {FIRST} is inf; expected a positive"),
    "weight a text": (part('kind = "histogram"\nweight = "2"'), f"'weight' of {FIRST} is '2'; expected a positive"),
    "name of a part": (part('kind = "histogram"\nname = ""'), f"'name' of {FIRST} is ''; expected a text"),
    "prefix of all": (part('kind = "prefix"'), f"{FIRST}: .* plan, age, owner; expected exactly one attribute"),
    "prefix of two": (part('kind = "prefix"\nattributes = ["plan", "age"]'), f"{FIRST}: .* exactly one attribute"),
    "widths": (part('kind = "ranges"\nattributes = ["age"]\nmin_width = 4'), f"{FIRST}: the widths of the ranges"),
    "width a fraction": (
        part('kind = "ranges"\nattributes = ["age"]\nmax_width = 1.5'),
        f"'max_width' of {FIRST} is 1.5; expected a whole number",
    ),
    "no k": (part('kind = "k_way_marginals"'), f"'k' of {FIRST} is not there; expected a whole number"),
    "k too large": (part('kind = "k_way_marginals"\nk = 4'), f"{FIRST}: k is 4; expected at most 3"),
    "parity of three values": (
        part('kind = "parity"\nk = 1'),
        f"{FIRST}: the attribute 'age' is of 3 values; expected",
    ),
    "no queries": (part('kind = "sql"\nqueries = []'), rf"'queries' of {FIRST} is \[\]; expected a list of SQL"),
    "queries a text": (
        part('kind = "sql"\nqueries = "owner"'),
        f"'queries' of {FIRST} is 'owner'; expected a list of SQL",
    ),
    "a query a number": (
        part('kind = "sql"\nqueries = ["owner", 1]'),
        f"'queries' of {FIRST} is 1; expected a list of SQL",
    ),
    "sql on attributes": (
        part('kind = "sql"\nqueries = ["owner"]\nattributes = ["age"]'),
        "'attributes' .* unknown key",
    ),
    "a query that cuts": (
        part('kind = "sql"\nqueries = ["age < 40"]'),
        rf"{FIRST}: the predicate 'age < 40' is .* \[18, 65\)",
    ),
    "matrix of nothing": (part('kind = "matrix"'), f"{FIRST}: the matrix is without file and rows; expected either"),
    "matrix of both": (part('kind = "matrix"\nrows = [[1]]\nfile = "x.csv"'), f"{FIRST}: the matrix is with both"),
    "matrix too narrow": (
        part('kind = "matrix"\nrows = [[1, 2, 3]]\nattributes = ["plan"]'),
        f"{FIRST}: the matrix is 3 columns wide; expected 2 columns, one a cell of plan",
    ),
    "matrix ragged": (part('kind = "matrix"\nrows = [[1], [1, 2]]'), f"{FIRST}: the workload matrix"),
    "matrix of texts": (part('kind = "matrix"\nrows = [["a", "b"]]'), f"{FIRST}: the workload matrix"),
    "matrix file absent": (
        part('kind = "matrix"\nfile = "absent.csv"'),
        rf"{FIRST}: the file .*absent\.csv is not readable \(No such file or directory\); expected a CSV file",
    ),
}


def test_a_hundred_questions_are_a_survey(load: Callable[[str], Survey]) -> None:
    questions = "".join(f'[[attribute]]\nname = "q{i}"\nlabels = ["no", "yes"]\n' for i in range(100))
    parts = """
[[workload]]
kind = "k_way_marginals"
k = 2
[[workload]]
kind = "parity"
k = 1
weight = 2.0
[[workload]]
kind = "histogram"
attributes = ["q99", "q0"]
name = "Both ends"
"""
    survey = load('[survey]\nname = "Opinions"\nepsilon = 1.0\n' + questions + parts)
    assert survey.workload.shape == (4 * 4950 + 101 + 4, 2**100)
    assert survey.workload.labels[-1] == "q99 = yes and q0 = yes"
    interactions = survey.workload.interactions
    assert interactions is not None
    assert interactions.weights[0, 99] == pytest.approx(0.25 + 0.25)
    assert interactions.weights[0, 1] == pytest.approx(0.25)
    assert interactions.weights[5,] == pytest.approx(99 / 4 + 4)
    with pytest.raises(TooLarge, match="Use places"):
        survey.schema.encode([["no"] * 100])


@pytest.mark.parametrize("slip", REFUSED)
def test_a_slip_names_file_table_and_key(slip: str, load: Callable[[str], Survey]) -> None:
    text, message = REFUSED[slip]
    with pytest.raises(InvalidInput, match=rf"survey\.toml,? {message}"):
        load(text)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "an empty file"),
        (b"1,2\n3\n", "not numbers"),
        (b"plan,age\n1,2\n", "not numbers"),
        (b"\xff\xfe", "not readable \\(it is not UTF-8\\)"),
        (b"1,nan\n", "an array with NaN or infinity"),
    ],
)
def test_a_bad_csv_is_named(content: bytes, message: str, tmp_path: Path, load: Callable[[str], Survey]) -> None:
    (tmp_path / "matrix.csv").write_bytes(content)
    with pytest.raises(InvalidInput, match=message):
        load(part('kind = "matrix"\nfile = "matrix.csv"\nattributes = ["plan"]'))


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"absent\.toml is not readable \(No such file or directory\)"):
        load_survey(tmp_path / "absent.toml")
    with pytest.raises(InvalidInput, match=r"is not readable \(Is a directory\)"):
        load_survey(tmp_path)
    latin = tmp_path / "latin.toml"
    latin.write_bytes('name = "ä"'.encode("latin-1"))
    with pytest.raises(InvalidInput, match=r"latin\.toml is not readable \(it is not UTF-8\)"):
        load_survey(latin)
