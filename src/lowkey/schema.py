"""Schema: the attributes that a survey asks for, and the cell of their product that a record falls into."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
import numpy.typing as npt

from lowkey.attributes import Attribute, Categorical, Ordered, attribute_from_document
from lowkey.encoding import quote
from lowkey.errors import InvalidInput, TooLarge, format_size
from lowkey.records import to_columns

__all__ = ["Attribute", "Categorical", "Cells", "Ordered", "Schema"]

Cells = npt.NDArray[np.int64]

SIZE_LIMIT = 2**62  # a cell's number is an int64
LIST_LIMIT = 2**28  # cells that a vector may have: 2 GiB of doubles


@dataclass(frozen=True, init=False)
class Schema:
    """The product of the attributes. A cell is one combination; the first attribute is slowest (row-major).

    There may be any number of cells: 100 questions have 2¹⁰⁰. Only what numbers or lists them is then refused.

    >>> schema = Schema([Categorical("plan", ["free", "pro"]), Ordered("age", edges=[0, 18, 65, 120])])
    >>> schema.size
    6
    >>> schema.encode([{"plan": "free", "age": 17}, ("pro", 65)]).tolist()
    [0, 5]
    >>> schema.decode([5])
    [{'plan': 'pro', 'age': '[65, 120)'}]
    """

    attributes: tuple[Attribute, ...]

    def __init__(self, attributes: Iterable[Attribute]) -> None:
        object.__setattr__(self, "attributes", _check_attributes(attributes))

    # -- the domain --------------------------------------------------------------

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The attributes' names, in order."""
        return tuple(attribute.name for attribute in self.attributes)

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """How many values each attribute has."""
        return tuple(attribute.size for attribute in self.attributes)

    @property
    def size(self) -> int:
        """How many cells there are: the product of the sizes."""
        return math.prod(self.sizes)

    def axis(self, name: str) -> int:
        """The position of the attribute with this name."""
        if name not in self.names:
            raise InvalidInput("the attribute", quote(name), "one of " + ", ".join(self.names))
        return self.names.index(name)

    def __getitem__(self, name: str) -> Attribute:
        return self.attributes[self.axis(name)]

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def __iter__(self) -> Iterator[Attribute]:
        return iter(self.attributes)

    def __len__(self) -> int:
        return len(self.attributes)

    # -- records to cells --------------------------------------------------------

    def encode(self, records: object) -> Cells:
        """The cell of each record.

        records: an iterable of dicts or of tuples in attribute order, one mapping of names to columns, or a
        dataframe (pandas, Polars eager or lazy, PyArrow, DuckDB: whatever narwhals reads). All attributes and
        no others must be there. EncodingError names attribute, row (from 0) and value of the first misfit.
        A domain of more than 2⁶² cells has no numbers for them: `places` serves there.
        """
        self._refuse_if_unnumbered()
        columns = self._codes(records)
        cells = next(columns)
        for size, column in zip(self.sizes[1:], columns, strict=True):
            cells = cells * size + column
        return cells

    def places(self, records: object) -> Cells:
        """The place of each record's value in each attribute (N, d): a cell of a domain of any size.

        >>> Schema([Categorical("plan", ["free", "pro"]), Categorical("sex", ["f", "m"])]).places([("pro", "f")])
        array([[1, 0]])
        """
        return np.stack(list(self._codes(records)), axis=1)

    def _codes(self, records: object) -> Iterator[Cells]:
        """For each attribute, the place of each record's value."""
        columns = to_columns(records, self.names)
        return (attribute.encode(columns[attribute.name]) for attribute in self.attributes)

    def counts(self, records: object) -> Cells:
        """The data vector (n,): how many of the records fall into each cell."""
        self._refuse_if_long("the data vector")
        return np.bincount(self.encode(records), minlength=self.size).astype(np.int64)

    # -- cells to records --------------------------------------------------------

    def decode(self, cells: object) -> list[dict[str, str | int | bool]]:
        """For each cell the labels that make it up; an Ordered attribute gives its bin: "[18, 25)"."""
        places = np.unravel_index(self._check_cells(cells), self.sizes)
        columns = [
            [attribute.labels[place] for place in column.tolist()]
            for attribute, column in zip(self.attributes, places, strict=True)
        ]
        return [dict(zip(self.names, row, strict=True)) for row in zip(*columns, strict=True)]

    def label(self, cell: int) -> str:
        """The cell in words: "plan = pro and age in [18, 25)"."""
        places = np.unravel_index(self._check_cells([cell])[0], self.sizes)
        pairs = zip(self.attributes, places, strict=True)
        return " and ".join(attribute.value(int(place)) for attribute, place in pairs)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """All cells in words, in order."""
        self._refuse_if_long("the list of cells")
        values = [[attribute.value(i) for i in range(attribute.size)] for attribute in self.attributes]
        return tuple(" and ".join(combination) for combination in product(*values))

    # -- documents ---------------------------------------------------------------

    def to_document(self) -> dict[str, object]:
        """The schema as plain JSON values: Schema.from_document gives it back."""
        return {"attributes": [attribute.to_document() for attribute in self.attributes]}

    @classmethod
    def from_document(cls, document: object) -> Schema:
        """The schema that `to_document` wrote."""
        if not isinstance(document, Mapping) or set(document) != {"attributes"}:
            raise InvalidInput("the schema document", document, 'a mapping with the one key "attributes"')
        entries = document["attributes"]
        if not isinstance(entries, Sequence) or isinstance(entries, str):
            raise InvalidInput('"attributes" of the schema document', entries, "a list of attributes")
        return cls([attribute_from_document(entry) for entry in entries])

    def __repr__(self) -> str:
        return f"Schema([{', '.join(map(repr, self.attributes))}])"

    def _check_cells(self, cells: object) -> Cells:
        self._refuse_if_unnumbered()
        expected = f"whole numbers from 0 to {self.size - 1}"
        array = np.asarray(cells)
        if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
            raise InvalidInput("the cells", cells, f"a list of {expected}")
        bad = (array < 0) | (array >= self.size)
        if bad.any():
            row = int(np.argmax(bad))
            raise InvalidInput(f"the cell in row {row}", str(array[row]), expected)
        return array.astype(np.int64)

    def _refuse_if_unnumbered(self) -> None:
        if self.size > SIZE_LIMIT:
            arrived, expected = f"one of {format_size(self.size)}", f"one of at most 2^62 ≈ {SIZE_LIMIT:.3g}"
            raise TooLarge("the cell's number", arrived, expected, "Use places(records): the place in each attribute.")

    def _refuse_if_long(self, what: str) -> None:
        if self.size > LIST_LIMIT:
            advice = "Use places(records), coarser bins or fewer attributes."
            raise TooLarge(what, f"{format_size(self.size)} cells long", f"at most {LIST_LIMIT:,} cells", advice)


def _check_attributes(attributes: Iterable[Attribute]) -> tuple[Attribute, ...]:
    expected = "a list of Categorical and Ordered attributes"
    if isinstance(attributes, Categorical | Ordered | str) or not isinstance(attributes, Iterable):
        raise InvalidInput("the schema", attributes, expected, "Put the attributes in a list: Schema([...]).")
    values = tuple(attributes)
    if not values:
        raise InvalidInput("the schema", "an empty list", "at least one attribute")
    for place, value in enumerate(values):
        if not isinstance(value, Categorical | Ordered):
            raise InvalidInput(f"attribute {place} of the schema", value, "a Categorical or an Ordered")
    names = [value.name for value in values]
    for name in names:
        if names.count(name) > 1:
            raise InvalidInput("the attribute name", f"{name!r}, twice", "names that differ")
    return values
