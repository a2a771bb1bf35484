"""A record's cell: laws over random schemas, the same answer from every container, and what is refused."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa  # type: ignore[import-untyped]
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lowkey.errors import EncodingError, InvalidInput, TooLarge
from lowkey.schema import Attribute, Categorical, Ordered, Schema

SURVEY = Schema(
    [
        Categorical("plan", ["free", "pro", "team"]),
        Ordered("age", edges=[0, 18, 25, 65, 120]),
        Categorical("rooms", [1, 2, 3]),
        Categorical("owner", [False, True]),
    ]
)
RECORDS: list[dict[str, str | int | bool]] = [
    {"plan": "free", "age": 0, "rooms": 1, "owner": False},
    {"plan": "pro", "age": 17, "rooms": 3, "owner": True},
    {"plan": "pro", "age": 18, "rooms": 3, "owner": False},
    {"plan": "team", "age": 119, "rooms": 2, "owner": True},
]
PLACES = [(0, 0, 0, 0), (1, 0, 2, 1), (1, 1, 2, 0), (2, 3, 1, 1)]  # by hand
CELLS = [((plan * 4 + age) * 3 + rooms) * 2 + owner for plan, age, rooms, owner in PLACES]

# -- strategies ---------------------------------------------------------------------

names = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=8).filter(
    lambda name: name == name.strip()
)
label_lists = st.one_of(
    st.lists(st.text(max_size=6), min_size=1, max_size=5, unique=True),
    st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=5, unique=True),
    st.lists(st.booleans(), min_size=1, max_size=2, unique=True),
)
edge_lists = st.lists(st.floats(allow_nan=False) | st.integers(-100, 100), min_size=2, max_size=6, unique_by=float).map(
    sorted
)


@st.composite
def schemas(draw: st.DrawFn) -> Schema:
    attributes: list[Attribute] = []
    for name in draw(st.lists(names, min_size=1, max_size=3, unique=True)):
        if draw(st.booleans()):
            attributes.append(Categorical(name, draw(label_lists)))
        else:
            clipped = draw(st.booleans())
            attributes.append(Ordered(name, draw(edge_lists), "clip" if clipped else "error"))
    return Schema(attributes)


def record_in(schema: Schema, cell: int) -> tuple[object, ...]:
    """A record of the cell: its labels, and the lower edges of its bins."""
    places = np.unravel_index(cell, schema.sizes)
    return tuple(
        a.labels[place] if isinstance(a, Categorical) else a.edges[place]
        for a, place in zip(schema, places, strict=True)
    )


# -- the domain ---------------------------------------------------------------------


def test_the_size_is_the_product_of_the_sizes() -> None:
    assert SURVEY.sizes == (3, 4, 3, 2)
    assert SURVEY.size == 72
    assert SURVEY.names == ("plan", "age", "rooms", "owner")
    assert len(SURVEY) == 4


def test_an_attribute_is_found_by_its_name() -> None:
    assert SURVEY["age"] is SURVEY.attributes[1]
    assert SURVEY.axis("rooms") == 2
    assert "plan" in SURVEY
    assert "zip" not in SURVEY
    with pytest.raises(InvalidInput, match="the attribute is 'zip'; expected one of plan, age, rooms, owner"):
        SURVEY["zip"]


def test_cells_and_bins_are_named() -> None:
    assert SURVEY["age"].labels == ("[0, 18)", "[18, 25)", "[25, 65)", "[65, 120)")
    assert SURVEY.label(0) == "plan = free and age in [0, 18) and rooms = 1 and owner = False"
    assert SURVEY.labels[71] == SURVEY.label(71) == "plan = team and age in [65, 120) and rooms = 3 and owner = True"
    assert SURVEY["age"].span(1, 2) == "age in [18, 65)"
    assert SURVEY["plan"].span(0, 1) == "plan from free to pro"
    assert SURVEY["plan"].span(1, 1) == "plan = pro"


def test_edges_are_written_as_people_write_them() -> None:
    bins = Ordered("x", [-math.inf, -2.5, 0, 1e6, 1e300, math.inf]).labels
    assert bins == ("[-inf, -2.5)", "[-2.5, 0)", "[0, 1000000)", "[1000000, 1e+300)", "[1e+300, inf)")


def test_labels_come_in_the_order_of_the_cells() -> None:
    assert len(SURVEY.labels) == SURVEY.size
    assert list(SURVEY.labels) == [SURVEY.label(cell) for cell in range(SURVEY.size)]


def test_values_are_frozen_and_compare_by_content() -> None:
    assert Categorical("a", [0, 1]) != Categorical("a", [False, True])
    assert Categorical("a", ["x"]) == Categorical("a", ("x",))
    assert Ordered("a", [0, 1]) != Ordered("a", [0, 1], outside="clip")
    assert len({Schema([Ordered("a", [0, 1])]), Schema([Ordered("a", [0.0, 1.0])])}) == 1
    with pytest.raises(AttributeError):
        SURVEY["plan"].name = "other"  # type: ignore[misc]


# -- encoding -----------------------------------------------------------------------


@given(schemas(), st.data())
def test_encode_inverts_the_numbering_of_cells(schema: Schema, data: st.DataObject) -> None:
    cells = data.draw(st.lists(st.integers(0, schema.size - 1), max_size=20))
    assert schema.encode([record_in(schema, cell) for cell in cells]).tolist() == cells


@given(schemas(), st.data())
def test_what_decode_gives_can_be_encoded_again(schema: Schema, data: st.DataObject) -> None:
    cells = data.draw(st.lists(st.integers(0, schema.size - 1), max_size=20))
    assert schema.encode(schema.decode(cells)).tolist() == cells


def test_bins_by_name_and_numbers_may_stand_in_one_column() -> None:
    age = Ordered("age", edges=[0, 18, 65])
    assert age.encode(["[18, 65)", 3, "[0, 18)"]).tolist() == [1, 0, 0]


@given(schemas(), st.data())
def test_decode_gives_the_labels_of_each_cell(schema: Schema, data: st.DataObject) -> None:
    cells = data.draw(st.lists(st.integers(0, schema.size - 1), max_size=20))
    for cell, row in zip(cells, schema.decode(cells), strict=True):
        places = [a.labels.index(row[a.name]) for a in schema]
        assert np.ravel_multi_index(places, schema.sizes) == cell


@given(edge_lists, st.floats(allow_nan=False))
def test_a_value_falls_into_the_one_half_open_bin_that_holds_it(edges: list[float], value: float) -> None:
    holding = [i for i in range(len(edges) - 1) if edges[i] <= value < edges[i + 1]]
    if holding:
        assert Ordered("x", edges).encode([value]).tolist() == holding
    else:
        with pytest.raises(EncodingError, match="'x' in row 0"):
            Ordered("x", edges).encode([value])
    nearest = holding[0] if holding else (0 if value < edges[0] else len(edges) - 2)
    assert Ordered("x", edges, outside="clip").encode([value]).tolist() == [nearest]


@given(schemas(), st.data())
def test_counts_count_every_record_once(schema: Schema, data: st.DataObject) -> None:
    if schema.size > 10_000:
        return
    cells = data.draw(st.lists(st.integers(0, schema.size - 1), max_size=20))
    counts = schema.counts([record_in(schema, cell) for cell in cells])
    assert counts.tolist() == [cells.count(cell) for cell in range(schema.size)]


def columns() -> dict[str, list[object]]:
    return {name: [record[name] for record in RECORDS] for name in SURVEY.names}


CONTAINERS: dict[str, Callable[[], object]] = {
    "dicts": lambda: RECORDS,
    "dicts in another order": lambda: [dict(reversed(record.items())) for record in RECORDS],
    "tuples": lambda: [tuple(record.values()) for record in RECORDS],
    "lists": lambda: [list(record.values()) for record in RECORDS],
    "dicts and tuples": lambda: [RECORDS[0], *(tuple(record.values()) for record in RECORDS[1:])],
    "generator": lambda: (record for record in RECORDS),
    "mapping of lists": columns,
    "mapping of arrays": lambda: {name: np.array(values) for name, values in columns().items()},
    "mapping of series": lambda: {name: pd.Series(values) for name, values in columns().items()},
    "pandas": lambda: pd.DataFrame(columns()),
    "pandas, shuffled columns": lambda: pd.DataFrame(columns())[["owner", "age", "plan", "rooms"]],
    "pandas, other index": lambda: pd.DataFrame(columns(), index=[7, 7, 0, -1]),
    "pandas, nullable": lambda: pd.DataFrame(columns()).convert_dtypes(),
    "pandas, arrow": lambda: pd.DataFrame(columns()).convert_dtypes(dtype_backend="pyarrow"),
    "pandas, objects": lambda: pd.DataFrame(columns()).astype(object),
    "pandas, categories": lambda: pd.DataFrame(columns()).astype({"plan": "category", "rooms": "category"}),
    "pandas, floats": lambda: pd.DataFrame(columns()).astype({"age": float, "rooms": float}),
    "pandas rows": lambda: pd.DataFrame(columns()).itertuples(index=False),
    "polars": lambda: pl.DataFrame(columns()),
    "polars, lazy": lambda: pl.DataFrame(columns()).lazy(),
    "polars, categories": lambda: pl.DataFrame(columns()).with_columns(pl.col("plan").cast(pl.Categorical)),
    "polars, small types": lambda: pl.DataFrame(columns()).with_columns(
        pl.col("age").cast(pl.UInt8), pl.col("rooms").cast(pl.Decimal(5, 2))
    ),
    "polars rows": lambda: pl.DataFrame(columns()).iter_rows(named=True),
    "arrow": lambda: pa.table(columns()),
    "arrow, dictionary": lambda: pa.table(columns()).set_column(
        0, "plan", pa.array(columns()["plan"]).dictionary_encode()
    ),
    "duckdb": lambda: duckdb.from_arrow(pa.table(columns())),
    "numpy scalars": lambda: [
        (np.str_(r["plan"]), np.float32(r["age"]), np.int8(r["rooms"]), np.bool_(r["owner"])) for r in RECORDS
    ],
    "exact numbers": lambda: [(r["plan"], Fraction(r["age"]), Decimal(r["rooms"]), r["owner"]) for r in RECORDS],
}


@pytest.mark.parametrize("container", CONTAINERS)
def test_every_container_gives_the_same_cells(container: str) -> None:
    cells = SURVEY.encode(CONTAINERS[container]())
    assert cells.dtype == np.int64
    assert cells.tolist() == CELLS


@pytest.mark.parametrize(
    "nothing", [[], iter([]), {name: [] for name in SURVEY.names}, pd.DataFrame(columns=[*SURVEY.names])]
)
def test_no_records_give_no_cells(nothing: object) -> None:
    assert SURVEY.encode(nothing).shape == (0,)


def test_a_million_rows_take_about_a_second() -> None:
    rng = np.random.default_rng(0)
    n = 10**6
    frame = pl.DataFrame(
        {
            "plan": rng.choice(["free", "pro", "team"], n).tolist(),
            "age": rng.integers(0, 120, n),
            "rooms": rng.integers(1, 4, n),
            "owner": rng.random(n) < 0.5,
        }
    )
    start = time.perf_counter()
    counts = SURVEY.counts(frame)
    assert time.perf_counter() - start < 5  # about 0.3 s on an idle core
    assert counts.sum() == n


# -- what does not fit --------------------------------------------------------------


def with_value(name: str, value: object) -> list[dict[str, object]]:
    """Three records, the last two with this value."""
    return [{**RECORDS[0]}, {**RECORDS[0], name: value}, {**RECORDS[0], name: value}]


MISFITS: list[tuple[str, object, str]] = [
    ("plan", "gold", r"is 'gold'; expected one of 'free', 'pro', 'team'. 2 of 3 rows do not fit"),
    ("plan", "Free", r"is 'Free'; expected one of"),
    ("plan", " free", r"is ' ?free'; expected one of"),
    ("plan", 1, r"is 1; expected .* The labels are text: convert the column first"),
    ("plan", b"free", r"is b'free'; expected"),
    ("plan", None, r"is missing \(None\); expected .* Leave such rows out"),
    ("plan", math.nan, r"is missing \(nan\)"),
    ("plan", pd.NA, r"is missing \(<NA>\)"),
    ("plan", pd.NaT, r"is missing \(NaT\)"),
    ("plan", ["free"], r"is \['free'\]; expected"),
    ("rooms", True, r"is True; expected one of 1, 2, 3\. .* The labels are whole numbers"),
    ("rooms", "1", r"is '1'; expected one of 1, 2, 3\. .* The labels are whole numbers"),
    ("rooms", 1.5, r"is 1\.5; expected one of 1, 2, 3"),
    ("rooms", 4, r"is 4; expected one of 1, 2, 3"),
    ("rooms", math.nan, r"is missing \(nan\)"),
    ("owner", 1, r"is 1; expected one of False, True\. .* The labels are true or false"),
    ("owner", "True", r"is 'True'; expected one of False, True"),
    ("owner", None, r"is missing \(None\)"),
    ("age", -1, r"is -1; expected a number of at least 0 and below 120\. .* outside=\"clip\""),
    ("age", 120, r"is 120; .* Bins are half-open: raise the last edge to count it in"),
    ("age", math.inf, r"is inf; expected a number"),
    ("age", 10**5000, r"is a whole number of 16,610 bits; expected"),
    ("age", "34", r"is '34'; .* Convert the column to numbers first"),
    ("age", True, r"is True; .* Convert the column to numbers first"),
    ("age", 3 + 0j, r"is \(3\+0j\); .* Convert the column to numbers first"),
    ("age", None, r"is missing \(None\); .* Leave such rows out"),
    ("age", math.nan, r"is missing \(nan\)"),
    ("age", Decimal("NaN"), r"is missing \(NaN\)"),
    ("age", pd.NA, r"is missing \(<NA>\)"),
    ("age", pd.NaT, r"is missing \(NaT\)"),
    ("age", np.datetime64("NaT"), r"is missing"),
]


@pytest.mark.parametrize(
    ("name", "value", "message"), MISFITS, ids=[f"{name} {i}" for i, (name, _, _) in enumerate(MISFITS)]
)
def test_a_misfit_names_attribute_row_and_value(name: str, value: object, message: str) -> None:
    with pytest.raises(EncodingError, match=f"^'{name}' in row 1 {message}"):
        SURVEY.encode(with_value(name, value))


@pytest.mark.parametrize("outside", ["error", "clip"])
@pytest.mark.parametrize("value", [None, math.nan, "5", True])
def test_clipping_does_not_hide_what_is_no_number(outside: str, value: object) -> None:
    schema = Schema([Ordered("x", [0, 1], "clip" if outside == "clip" else "error")])
    with pytest.raises(EncodingError, match="'x' in row 0"):
        schema.encode([(value,)])


def test_missing_values_of_frames_are_found() -> None:
    holes = {**columns(), "age": [None, 17, 18, 119]}
    for frame in (pl.DataFrame(holes), pa.table(holes), pd.DataFrame(holes), pd.DataFrame(holes).convert_dtypes()):
        with pytest.raises(EncodingError, match="'age' in row 0 is missing"):
            SURVEY.encode(frame)
    for frame in (pl.DataFrame({**columns(), "plan": ["pro", "free", None, "pro"]}).lazy(),):
        with pytest.raises(EncodingError, match="'plan' in row 2 is missing"):
            SURVEY.encode(frame)


def test_dates_are_not_numbers() -> None:
    days = {**columns(), "rooms": np.array([1, 2, 3, 1], dtype="datetime64[ns]")}
    with pytest.raises(EncodingError, match="'rooms' in row 0"):
        SURVEY.encode(days)
    with pytest.raises(EncodingError, match="'rooms' in row 0"):
        SURVEY.encode(pd.DataFrame(days))


SHAPES: list[tuple[object, str]] = [
    (5, "the value to encode is 5; expected a list of dicts or tuples"),
    ("free", "the value to encode is 'free'; expected a list of dicts or tuples"),
    ([5], "row 0 is 5; expected a dict or a tuple with plan, age, rooms, owner"),
    ([RECORDS[0], "free"], "row 1 is 'free'; expected a dict or a tuple"),
    ([("free", 3)], r"row 0 is a tuple of 2 values: \('free', 3\); expected 4 values: plan, age, rooms, owner"),
    ([RECORDS[0], ("free", 3, 1, True, 0)] * 2, "row 1 is a tuple of 5 values.* 2 of 4 rows do not fit"),
    ([RECORDS[0], {"plan": "free"}], "'age' in row 1 is not there; expected exactly plan, age, rooms, owner"),
    ([{**RECORDS[0], "zip": "10115"}], r"'zip' in row 0 is no attribute \(value '10115'\)"),
    (RECORDS[0], r"the column 'plan' is 'free'; expected a list .* A single record goes into a list: \[record\]"),
    ({"plan": ["free"]}, "the column 'age' is not in the mapping; .* There are: plan"),
    (
        {**columns(), "zip": [1]},
        "the column 'zip' of the mapping is no attribute; .* Select the schema's columns first",
    ),
    ({**columns(), "age": [1]}, "the number of rows is 4 in 'plan', 1 in 'age', .*; expected the same"),
    ({**columns(), "age": np.zeros((4, 1))}, "the column 'age' is .* expected a list of values"),
    (pd.DataFrame(columns()).drop(columns="age"), "the column 'age' is not in the dataframe"),
    (pl.DataFrame(columns()).with_columns(zip=1).lazy(), "the column 'zip' of the dataframe is no attribute"),
    (pd.DataFrame([[1, 2]], columns=["age", "age"]), "the dataframe is not usable .* distinct names"),
    (pd.Series([1, 2]), "row 0 is 1; expected a dict or a tuple"),
    (np.zeros((2, 4)), "row 0 is .*; expected a dict or a tuple"),
]


@pytest.mark.parametrize(("records", "message"), SHAPES)
def test_other_shapes_and_names_are_refused(records: object, message: str) -> None:
    with pytest.raises(EncodingError, match=message):
        SURVEY.encode(records)


@pytest.mark.parametrize("cells", [[72], [-1], [0.0], [True], 3, [[0]], ["0"], None])
def test_only_cells_of_the_schema_are_decoded(cells: object) -> None:
    with pytest.raises(InvalidInput, match="whole numbers from 0 to 71"):
        SURVEY.decode(cells)


# -- construction -------------------------------------------------------------------

NOT_BUILT: list[tuple[Callable[[], object], str]] = [
    (lambda: Categorical("", ["a"]), "the name of an attribute is ''; expected a non-empty text"),
    (lambda: Categorical(" a", ["a"]), "expected a non-empty text without blanks around it"),
    (lambda: Categorical("a\n1", ["a"]), "without control characters"),
    (lambda: Categorical(5, ["a"]), "the name of an attribute is 5"),  # type: ignore[arg-type]
    (lambda: Categorical("a", []), "the labels of 'a' is an empty list; expected at least one label"),
    (lambda: Categorical("a", "yes"), "the labels of 'a' is 'yes'; expected a list"),
    (lambda: Categorical("a", None), "the labels of 'a' is None; expected a list"),  # type: ignore[arg-type]
    (lambda: Categorical("a", ["x", "y", "x"]), "a list with 'x' twice; expected labels that differ"),
    (lambda: Categorical("a", ["1", 1]), "a mixture of number and text; expected labels of one kind"),
    (lambda: Categorical("a", [0, True]), "a mixture of number and truth; expected labels of one kind"),
    (lambda: Categorical("a", [1.5]), "a list with 1.5; .* For bins of a number use Ordered"),  # type: ignore[list-item]
    (lambda: Categorical("a", [None]), "a list with None; expected texts"),  # type: ignore[list-item]
    (lambda: Categorical("a", [2**63]), "expected whole numbers of 64 bits"),
    (lambda: Categorical("a", ["\ud800"]), "expected texts of whole Unicode characters"),
    (lambda: Ordered("a", [1]), "the edges of 'a' is a list of 1; expected at least two increasing numbers"),
    (lambda: Ordered("a", 5), "the edges of 'a' is 5"),  # type: ignore[arg-type]
    (lambda: Ordered("a", [0, 2, 1]), "a list with 1 after 2; expected edges that increase"),
    (lambda: Ordered("a", [0, 0]), "a list with 0 after 0; expected edges that increase"),
    (lambda: Ordered("a", [0, math.nan]), "a list with NaN"),
    (lambda: Ordered("a", [0, "1"]), "a list with '1'; expected numbers"),  # type: ignore[list-item]
    (lambda: Ordered("a", [False, True]), "a list with False; expected numbers"),
    (lambda: Ordered("a", [0, 10**400]), "numbers that a double holds"),
    (lambda: Ordered("a", [0, 1], "drop"), "outside of 'a' is 'drop'; expected one of error, clip"),  # type: ignore[arg-type]
    (lambda: Schema([]), "the schema is an empty list; expected at least one attribute"),
    (lambda: Schema(Categorical("a", ["x"])), "Put the attributes in a list"),  # type: ignore[arg-type]
    (lambda: Schema(["a"]), "attribute 0 of the schema is 'a'"),  # type: ignore[list-item]
    (lambda: Schema([Ordered("a", [0, 1]), Categorical("a", ["x"])]), "the attribute name is 'a', twice"),
]


@pytest.mark.parametrize(("build", "message"), NOT_BUILT)
def test_schemas_are_validated_on_construction(build: Callable[[], object], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        build()


def test_a_large_domain_is_encoded_but_not_listed() -> None:
    schema = Schema([Categorical(f"a{i}", [0, 1]) for i in range(60)])
    assert schema.encode([[1] * 60]).tolist() == [2**60 - 1]
    assert schema.decode([2**60 - 1]) == [{f"a{i}": 1 for i in range(60)}]
    with pytest.raises(TooLarge, match=r"the data vector is about 10\^18 cells long"):
        schema.counts([[1] * 60])
    with pytest.raises(TooLarge, match="the list of cells"):
        _ = schema.labels


@given(schemas(), st.data())
def test_cells_are_numbered_row_major_by_the_places_of_their_values(schema: Schema, data: st.DataObject) -> None:
    cells = data.draw(st.lists(st.integers(0, schema.size - 1), max_size=5))
    records = schema.decode(cells)
    places = schema.places(records)
    assert places.shape == (len(cells), len(schema))
    assert places.dtype == np.int64
    assert [dict(zip(schema.names, row, strict=True)) for row in places.tolist()] == [
        {a.name: a.labels.index(record[a.name]) for a in schema} for record in records
    ]
    assert np.ravel_multi_index(tuple(places.T), schema.sizes).tolist() == cells


def test_a_domain_whose_cells_have_no_numbers_has_places() -> None:
    schema = Schema([Categorical(f"a{i}", [0, 1]) for i in range(100)])
    assert schema.size == 2**100
    record = [i % 2 for i in range(100)]
    assert schema.places([record]).tolist() == [record]
    number = r"the cell's number is one of about 10\^30; expected one of at most 2\^62 .* Use places"
    for operation in (schema.encode, schema.decode, schema.counts):
        with pytest.raises(TooLarge, match="Use places"):
            operation([record])
    with pytest.raises(TooLarge, match=number):
        schema.label(0)
    with pytest.raises(EncodingError, match="'a7' in row 1 is 2; expected one of 0, 1"):
        schema.places([record, [*record[:7], 2, *record[8:]]])
    assert Schema.from_document(schema.to_document()) == schema


# -- documents ----------------------------------------------------------------------


@given(schemas())
def test_a_schema_survives_its_document(schema: Schema) -> None:
    text = json.dumps(schema.to_document(), allow_nan=False)
    again = Schema.from_document(json.loads(text))
    assert again == schema
    assert json.dumps(again.to_document(), allow_nan=False) == text


def test_the_document_is_plain() -> None:
    schema = Schema([Categorical("flag", [True, False]), Ordered("x", [-math.inf, 0, 2.5, math.inf], "clip")])
    assert schema.to_document() == {
        "attributes": [
            {"kind": "categorical", "name": "flag", "labels": [True, False]},
            {"kind": "ordered", "name": "x", "edges": ["-inf", 0, 2.5, "inf"], "outside": "clip"},
        ]
    }


FLAG = {"kind": "categorical", "name": "a", "labels": [0]}
LINE = {"kind": "ordered", "name": "a", "edges": [0, 1], "outside": "error"}
BAD_DOCUMENTS: list[tuple[object, str]] = [
    ([], 'the schema document is .*; expected a mapping with the one key "attributes"'),
    ({"attributes": [], "more": 1}, "the one key"),
    ({"attributes": "a"}, "expected a list of attributes"),
    ({"attributes": []}, "at least one attribute"),
    ({"attributes": [5]}, 'a mapping with "kind"'),
    ({"attributes": [{**FLAG, "kind": "nominal"}]}, 'a mapping with "kind": "categorical" or "ordered"'),
    ({"attributes": [{**FLAG, "kind": []}]}, 'a mapping with "kind"'),
    ({"attributes": [{**FLAG, "edges": [0, 1]}]}, "expected exactly kind, name, labels"),
    ({"attributes": [{"kind": "ordered", "name": "a"}]}, "expected exactly kind, name, edges, outside"),
    ({"attributes": [{**LINE, "edges": "0"}]}, "the edges of 'a' is '0'"),
    ({"attributes": [{**LINE, "edges": [0, "one"]}]}, """'one'; expected a number, "inf" or "-inf\""""),
    ({"attributes": [{**LINE, "edges": [0, True]}]}, "True; expected a number"),
    ({"attributes": [{**LINE, "outside": None}]}, "outside of 'a' is None"),
]


@pytest.mark.parametrize(("document", "message"), BAD_DOCUMENTS)
def test_bad_documents_are_refused(document: object, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        Schema.from_document(document)
