"""SQL predicates: the row holds exactly the records that satisfy them; what has no whole-bin answer is refused."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import duckdb
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from lowkey.errors import InvalidInput, TooLarge
from lowkey.schema import Categorical, Ordered, Schema
from lowkey.workloads import stack, workload_from_document
from lowkey.workloads.sql import LOCKED, sql

SURVEY = Schema(
    [
        Categorical("plan", ["free", "pro", "team's own"]),
        Ordered("age", edges=[0, 18, 25, 35, 65, 120]),
        Categorical("rooms", [1, 2, 3]),
        Categorical("owner", [False, True]),
        Ordered("net income", edges=[-math.inf, 0, 2.5, math.inf]),
    ]
)
CLIPPED = Schema([Ordered("age", edges=[0, 18, 65, 120], outside="clip")])

# -- accepted predicates are true of exactly the cells they describe ------------------

ACCEPTED: list[tuple[str, Callable[[str, str, int, bool, str], bool]]] = [
    ("TRUE", lambda plan, age, rooms, owner, income: True),
    ("1 > 2", lambda plan, age, rooms, owner, income: False),
    ("plan = 'pro'", lambda plan, age, rooms, owner, income: plan == "pro"),
    ("plan <> 'team''s own'", lambda plan, age, rooms, owner, income: plan != "team's own"),
    ("PLAN IN ('free', 'pro') -- both", lambda plan, age, rooms, owner, income: plan in ("free", "pro")),
    ("lower(plan) LIKE 'F%' OR plan ILIKE 'F%'", lambda plan, age, rooms, owner, income: plan == "free"),
    ("length(plan) + rooms = 5", lambda plan, age, rooms, owner, income: len(plan) + rooms == 5),
    ("age >= 65", lambda plan, age, rooms, owner, income: age == "[65, 120)"),
    ("65 <= Age", lambda plan, age, rooms, owner, income: age == "[65, 120)"),
    ("age < 36/2", lambda plan, age, rooms, owner, income: age == "[0, 18)"),
    ("age >= 120 OR age < -1e300", lambda plan, age, rooms, owner, income: False),
    ("age >= 25 AND age < 65", lambda plan, age, rooms, owner, income: age in ("[25, 35)", "[35, 65)")),
    ("age >= 30 OR age < 30", lambda plan, age, rooms, owner, income: True),
    ("age >= 30 AND age < 30", lambda plan, age, rooms, owner, income: False),
    ("age IS NOT NULL AND age = age", lambda plan, age, rooms, owner, income: True),
    ("age BETWEEN 65 AND 1000", lambda plan, age, rooms, owner, income: age == "[65, 120)"),
    ("age NOT IN (-1, 120, 'inf'::DOUBLE)", lambda plan, age, rooms, owner, income: True),
    ("owner", lambda plan, age, rooms, owner, income: owner),
    ("NOT owner AND rooms % 2 = 1", lambda plan, age, rooms, owner, income: not owner and rooms % 2 == 1),
    ('"net income" >= 2.5', lambda plan, age, rooms, owner, income: income == "[2.5, inf)"),
    ('"net income" < 0.0', lambda plan, age, rooms, owner, income: income == "[-inf, 0)"),
    (
        "CASE WHEN age < 18 THEN plan = 'free' ELSE owner END",
        lambda plan, age, rooms, owner, income: plan == "free" if age == "[0, 18)" else owner,
    ),
]


@pytest.mark.parametrize(("text", "holds"), ACCEPTED, ids=[text for text, _ in ACCEPTED])
def test_a_row_is_one_where_the_predicate_holds(text: str, holds: Callable[[str, str, int, bool, str], bool]) -> None:
    expected = [holds(*combination) for combination in product(*(a.labels for a in SURVEY))]  # type: ignore[arg-type]
    row = sql(SURVEY, [text]).to_dense()[0]
    assert row.tolist() == [float(one) for one in expected]


def test_the_workload_counts_records() -> None:
    workload = sql(SURVEY, ["age >= 65 AND plan = 'pro'", "owner", "owner"])
    records = [("pro", 70, 1, True, 1), ("pro", 65, 2, False, -3), ("free", 80, 3, True, 9), ("pro", 64, 1, True, 0)]
    assert workload.matvec(SURVEY.counts(records)).tolist() == [2, 3, 3]
    assert workload.shape == (3, SURVEY.size)
    assert list(workload.labels) == ["age >= 65 AND plan = 'pro'", "owner", "owner"]


def test_the_workload_survives_its_document() -> None:
    workload = sql(SURVEY, ["age >= 65", "plan = 'pro'"])
    document = {"kind": "sql", "queries": ["age >= 65", "plan = 'pro'"], "schema": SURVEY.to_document()}
    assert workload.document() == document
    again = workload_from_document(stack([workload, workload]).document(), SURVEY)
    assert np.array_equal(again.to_dense(), np.vstack([workload.to_dense()] * 2))


def test_the_matrix_stays_sparse() -> None:
    large = Schema([Categorical(name, list(range(100))) for name in "abc"])
    workload = sql(large, [f"a = {i} AND b = {i}" for i in range(50)])
    assert workload.shape == (50, 10**6)
    assert isinstance(workload.matrix, sp.csr_array)
    assert workload.matrix.nnz == 50 * 100
    assert workload.rmatvec(np.arange(50.0))[7 * 10**4 + 7 * 100 + 99] == 7


# -- the check of bins is exact: against enumeration ----------------------------------

Record = tuple[str, float, float]
SMALL = Schema(
    [Categorical("a", ["x", "y"]), Ordered("b", edges=[0, 1, 2, 4]), Ordered("c", edges=[0, 2, 3], outside="clip")]
)
STEPS = [step / 4 for step in range(-8, 25)]  # constants lie on halves: every piece of the line has a step in it
RECORDS: list[Record] = [(a, b, c) for a in ("x", "y") for b in STEPS if 0 <= b < 4 for c in [*STEPS, -9.0, 1e9]]
CELLS = SMALL.encode(RECORDS)
COMPARE = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
    "<>": operator.ne,
}


@dataclass(frozen=True)
class Condition:
    """A predicate twice: as SQL and as what it means."""

    text: str
    holds: Callable[[Record], bool]


halves = st.sampled_from([0.0, 1.0, 2.0, 3.0, 4.0]) | st.integers(-2, 9).map(lambda half: half / 2)


@st.composite
def comparisons(draw: st.DrawFn) -> Condition:
    name, place = draw(st.sampled_from([("b", 1), ("c", 2)]))
    low, high = draw(halves), draw(halves)
    form = draw(st.sampled_from([*COMPARE, "between", "in", "flipped"]))
    if form == "between":
        return Condition(f"{name} BETWEEN {low} AND {high}", lambda r: low <= float(r[place]) <= high)
    if form == "in":
        return Condition(f"{name} NOT IN ({low}, {high})", lambda r: r[place] not in (low, high))
    if form == "flipped":
        return Condition(f"{low} > {name}", lambda r: low > float(r[place]))
    return Condition(f"{name} {form} {low}", lambda r: bool(COMPARE[form](r[place], low)))


def combined(parts: st.SearchStrategy[Condition]) -> st.SearchStrategy[Condition]:
    both = st.tuples(parts, parts)
    return st.one_of(
        both.map(lambda p: Condition(f"({p[0].text}) AND ({p[1].text})", lambda r: p[0].holds(r) and p[1].holds(r))),
        both.map(lambda p: Condition(f"({p[0].text}) OR ({p[1].text})", lambda r: p[0].holds(r) or p[1].holds(r))),
        parts.map(lambda p: Condition(f"NOT ({p.text})", lambda r: not p.holds(r))),
    )


label = st.sampled_from([Condition("a = 'x'", lambda r: r[0] == "x"), Condition("a <> 'x'", lambda r: r[0] != "x")])
conditions = st.recursive(comparisons() | label, combined, max_leaves=6)


@settings(max_examples=150, deadline=None)
@given(conditions)
def test_a_predicate_is_accepted_if_and_only_if_it_is_constant_on_every_cell(condition: Condition) -> None:
    truth = np.array([condition.holds(record) for record in RECORDS])
    found = [set(truth[cell == CELLS].tolist()) for cell in range(SMALL.size)]
    if all(len(answers) == 1 for answers in found):
        assert sql(SMALL, [condition.text]).to_dense()[0].tolist() == [float(answers.pop()) for answers in found]
    else:
        with pytest.raises(InvalidInput, match="true of only a part of the bin"):
            sql(SMALL, [condition.text])


@pytest.mark.parametrize("inner", [math.nextafter(18, 25), math.nextafter(25, 18), 24.999999999999, 18.000000001])
def test_the_smallest_cut_is_seen(inner: float) -> None:
    with pytest.raises(InvalidInput, match=r"only a part of the bin \[18, 25\) of 'age'"):
        sql(SURVEY, [f"age = {inner!r}"])


def test_clipped_bins_reach_to_infinity() -> None:
    assert sql(CLIPPED, ["age >= 65", "age < 18", "age >= 18"]).to_dense().tolist() == [
        [0, 0, 1],
        [1, 0, 0],
        [0, 1, 1],
    ]
    for cut in ["age < 120", "age >= 0", "age < 'inf'::DOUBLE", "age > '-inf'::DOUBLE", "age < 1e308"]:
        with pytest.raises(InvalidInput, match="with all values beyond it, which outside='clip' puts there"):
            sql(CLIPPED, [cut])


# -- what is refused ------------------------------------------------------------------

WHOLE = "expected conditions that hold on whole bins"
BARE = "using 'age' other than in a comparison with numbers; expected comparisons such as age >= 65"
ONE = "is not a condition on one record"
REFUSED: list[tuple[str, str]] = [
    (
        "age >= 30",
        rf"'age >= 30' is true of only a part of the bin \[25, 35\) of 'age'; {WHOLE}\. The edges are 0, 18, 25",
    ),
    ("age > 18", r"the bin \[18, 25\)"),
    ("age <= 25", r"the bin \[25, 35\)"),
    ("age = 18", r"the bin \[18, 25\)"),
    ("age BETWEEN 18 AND 24", r"the bin \[18, 25\)"),
    ("plan = 'pro' AND age < 20", r"the bin \[18, 25\)"),
    ('"net income" > 0', r"the bin \[0, 2\.5\) of 'net income'"),
    ("age * 2 >= 130", BARE),
    ("age::INTEGER >= 65", BARE),
    ("-age <= -65", BARE),
    ("floor(age) = 18", BARE),
    ("age >= rooms", BARE),
    ('age >= "net income"', "other than in a comparison with numbers"),
    ("age IN [18, 19]", BARE),
    ("coalesce(age, 0) >= 65", BARE),
    ("(age, plan) = (18, 'pro')", BARE),
    ("age.floor() = 24 AND age >= 18", r"calling floor with a dot before it; expected calls such as floor\(\.\.\.\)"),
    ("age >= '65'", "comparing 'age' with '65', a VARCHAR; expected comparisons with numbers"),
    ("age >= DATE '2020-01-01'", "a DATE; expected comparisons with numbers"),
    ("age > NULL", "comparing 'age' with NULL, a \"NULL\""),
    ("plan = 'Pro'", "comparing 'plan' with 'Pro', none of its labels; expected one of 'free', 'pro', \"team's own\""),
    ("plan NOT IN ('free', 'gold')", "comparing 'plan' with 'gold', none of its labels"),
    ("rooms = 4", "comparing 'rooms' with 4, none of its labels; expected one of 1, 2, 3"),
    ("rooms = 'many'", "refused by DuckDB; .*Could not convert string 'many'"),
    ("plan = pro", "about an unknown attribute, 'pro'; .* Text is written in single quotes"),
    ("agee >= 65", "about an unknown attribute, 'agee'; expected only plan, age, rooms, owner, net income"),
    ("t.age >= 65", r"about an unknown attribute, 't\.age'"),
    ("rowid = 1", "about an unknown attribute, 'rowid'"),
    ("current_date > '2020-01-01'", "about an unknown attribute, 'current_date'"),
    ("plan", "of type VARCHAR; expected true or false: a BOOLEAN"),
    ("1", "of type INTEGER"),
    ("NULL", 'of type "NULL"'),
    ("plan = NULL", r"unknown \(NULL\) where plan = free; expected true or false for every cell"),
    ("CASE WHEN owner THEN TRUE END", r"unknown \(NULL\) where owner = False"),
    ("NULL::BOOLEAN", r"unknown \(NULL\); expected"),
    ("age >", "refused by DuckDB; expected a condition on plan, .* DuckDB says: syntax error"),
    ("age >= 65;", "DuckDB says: syntax error"),
    ("nosuch(plan)", "DuckDB says: Catalog Error: Scalar Function with name nosuch does not exist"),
    ("TRUE), (FALSE", "more than one condition; expected a single expression"),
    ("TRUE) WHERE (TRUE", "more than one condition"),
    ("TRUE) FROM (SELECT 1", "more than one condition"),
    ("(SELECT TRUE)", f"{ONE}: it has a subquery"),
    ("EXISTS (FROM read_csv('/etc/passwd'))", f"{ONE}: it has a subquery"),
    ("row_number() OVER () > 1", f"{ONE}: it has a window"),
    ("COLUMNS('plan') = 'pro'", f"{ONE}: it has a star"),
    ("age >= ?", f"{ONE}: it has a parameter"),
    ("list_transform([plan], x -> x) = ['pro']", f"{ONE}: it has a lambda"),
    ("#1", f"{ONE}: it has a positional reference"),
    ("count(*) > 1", "calling count_star, which is no plain function of one record's values"),
    ("random() < 0.5", "calling random, which is no plain function"),
    ("age >= random()", "calling random, which is no plain function"),
    ("now() > '2020-01-01'", "calling now, which is no plain function"),
    ("NOT " * 2000 + "owner", "Max expression depth"),
]


@pytest.mark.parametrize(("text", "message"), REFUSED, ids=[ascii(text[:40]) for text, _ in REFUSED])
def test_what_has_no_answer_for_every_cell_is_refused(text: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        sql(SURVEY, ["owner", text])


@pytest.mark.parametrize(
    ("predicates", "message"),
    [
        ("age >= 65", "the predicates is .*; expected a list of texts. Put a single one into a list"),
        (5, "the predicates is 5; expected a list of texts"),
        ([], "the predicates is an empty list; expected at least one predicate"),
        ([5], "a predicate is 5; expected a text such as"),
        (["plan = '\ud800'"], r"a predicate is .*ud800.*; expected a text of whole Unicode characters"),
        (["owner", "  "], "a predicate is ' '; expected a text such as"),
    ],
)
def test_predicates_are_a_list_of_texts(predicates: object, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        sql(SURVEY, predicates)  # type: ignore[arg-type]


def test_a_schema_is_needed_whose_names_sql_can_tell_apart() -> None:
    with pytest.raises(InvalidInput, match="expected a Schema"):
        sql(5, ["TRUE"])  # type: ignore[arg-type]
    twins = Schema([Ordered("Age", [0, 1]), Ordered("age", [0, 1])])
    with pytest.raises(InvalidInput, match="the attribute name is 'Age', twice but for case"):
        sql(twins, ["TRUE"])


def test_a_predicate_over_too_many_combinations_is_refused() -> None:
    wide = Schema([Ordered(name, range(101)) for name in "abcd"])
    with pytest.raises(TooLarge, match="Mention fewer attributes in one predicate"):
        sql(wide, ["a < 5 AND b < 5 AND c < 5 AND d < 5"])


def test_duckdb_reads_no_files(tmp_path: Path) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text("a\n1\n")
    for text in [f"EXISTS (FROM '{secret}')", f"read_text('{secret}') IS NULL", f"('{secret}').read_csv() = 1"]:
        with pytest.raises(InvalidInput, match=r"subquery|no plain function"):
            sql(SURVEY, [text])


def test_the_connection_is_locked(tmp_path: Path) -> None:
    with duckdb.connect(":memory:", config=dict(LOCKED)) as connection:
        file = tmp_path / "file"
        for statement in [
            f"FROM read_text('{file}')",
            f"COPY (SELECT 1) TO '{file}'",
            f"ATTACH '{file}'",
            "LOAD httpfs",
        ]:
            with pytest.raises(duckdb.PermissionException):
                connection.execute(statement)
        with pytest.raises(duckdb.InvalidInputException, match="configuration has been locked"):
            connection.execute("SET enable_external_access = true")


@pytest.mark.parametrize("name", ['say "hi"', "select", "a b", "name; DROP", "ünï", "0", "place", "holds", "key"])
def test_any_attribute_name_can_be_quoted(name: str) -> None:
    schema = Schema([Categorical(name, ["x", "y"]), Ordered("other", [0, 1, 2])])
    quoted = '"' + name.replace('"', '""') + '"'
    assert sql(schema, [f"{quoted} = 'y' AND other < 1"]).to_dense().tolist() == [[0, 0, 1, 0]]


@settings(max_examples=50, deadline=None)
@given(st.lists(st.text(max_size=5), min_size=1, max_size=4, unique=True))
def test_labels_of_any_text_reach_duckdb_unchanged(labels: list[str]) -> None:
    schema = Schema([Categorical("a", labels)])
    texts = ["a = '" + text.replace("'", "''") + "'" for text in labels if "\0" not in text]
    if texts:
        kept = [place for place, text in enumerate(labels) if "\0" not in text]
        assert np.array_equal(sql(schema, texts).to_dense(), np.eye(len(labels))[kept])


def test_a_method_call_does_not_smuggle_a_column_past_the_check() -> None:
    schema = Schema([Ordered("main", [18, 25, 30])])
    with pytest.raises(InvalidInput, match="calling floor with a dot before it"):
        sql(schema, ["main.floor() = 24 AND main >= 18"])
