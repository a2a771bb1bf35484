"""Symmetric block designs: report a block, likelier one that holds the own cell (Park, Nam and Lee 2023)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from lowkey.checks import check_size
from lowkey.errors import NotAvailable
from lowkey.mechanisms.dense import DenseMechanism
from lowkey.mechanisms.finite_geometry import hyperplanes, is_prime
from lowkey.mechanisms.sizes import refuse_too_large
from lowkey.mechanisms.strategy_matrices import Patterns, two_level
from lowkey.mechanisms.support import histogram_variance


@dataclass(frozen=True)
class Design:
    """v blocks of k of v cells, any two cells in k(k−1)/(v−1) of them; `incidence()` has a row a block."""

    v: int
    k: int
    incidence: Callable[[], Patterns]


def block_design(n: int, epsilon: float, k: int | None = None) -> DenseMechanism:
    """The symmetric design on n cells with the least variance on a histogram, or that with blocks of k cells.

    Known here: hyperplanes over prime fields, quadratic residues (prime n ≡ 3 mod 4), twin primes, bent
    functions (n a power of 4), and their complements. On a histogram as good as subset selection of d = k
    cells, with n outputs instead of (n choose k).
    """
    designs = symmetric_designs(n)
    if not designs:
        raise NotAvailable("block_design", f"unknown for {n} cells", _nearest(n), "Merge cells or add empty ones.")
    sizes = [design.k for design in designs]
    if k is not None and check_size("k", k) not in sizes:
        raise NotAvailable("k", k, f"a block size of a symmetric design on {n} cells: {', '.join(map(str, sizes))}")
    refuse_too_large("block_design", n, n)
    chosen = (
        sizes.index(k)
        if k is not None
        else int(np.argmin(histogram_variance(n, n, np.array(sizes, dtype=np.float64), epsilon)))
    )
    return DenseMechanism(two_level(designs[chosen].incidence(), epsilon), epsilon, "block_design")


def symmetric_designs(v: int) -> list[Design]:
    """The non-trivial designs (1 < k < v−1) that are known here, by block size; one for each."""
    found = [*_projective(v), *_paley(v), *_twin_primes(v), *_bent(v)]
    found += [_complement(design) for design in found]
    by_size = {design.k: design for design in reversed(found) if 1 < design.k < v - 1}
    return [by_size[k] for k in sorted(by_size)]


def _nearest(n: int) -> str:
    below = next((v for v in range(n - 1, 6, -1) if symmetric_designs(v)), None)
    above = next(v for v in range(max(n + 1, 7), 4 * n + 8) if symmetric_designs(v))
    return f"a size that has one, such as {above}" + ("" if below is None else f" or {below}")


def _complement(design: Design) -> Design:
    return replace(design, k=design.v - design.k, incidence=lambda: ~design.incidence())


def _projective(v: int) -> Iterator[Design]:
    """Points and hyperplanes of the projective space of dimension t−1 ≥ 2 over a prime field."""
    for t in range(3, v.bit_length() + 1):
        q = round(v ** (1 / (t - 1)))
        for order in (q - 1, q):  # v = q^(t−1) + q^(t−2) + … lies between q^(t−1) and (q+1)^(t−1)
            if order >= 2 and is_prime(order) and (order**t - 1) // (order - 1) == v:
                yield Design(v, (order ** (t - 1) - 1) // (order - 1), partial(hyperplanes, order, t))


def _paley(v: int) -> Iterator[Design]:
    """The squares modulo a prime v ≡ 3 mod 4 and their translates."""
    if v % 4 == 3 and is_prime(v):
        yield Design(v, (v - 1) // 2, lambda: _translates(_squares(v) == 1))


def _twin_primes(v: int) -> Iterator[Design]:
    """Modulo p(p+2): 0 modulo p+2, or with equal quadratic characters ±1 modulo both (Stanton, Sprott)."""
    p = math.isqrt(v + 1) - 1
    if p > 1 and p * (p + 2) == v and is_prime(p) and is_prime(p + 2):
        x = np.arange(v)
        yield Design(
            v,
            (v - 1) // 2,
            lambda: _translates((_squares(p)[x % p] * _squares(p + 2)[x % (p + 2)] == 1) | (x % (p + 2) == 0)),
        )


def _bent(v: int) -> Iterator[Design]:
    """Where f(x ⊕ a) = 1 for the bent function f(x) = x₁x₂ ⊕ x₃x₄ ⊕ …, for each a (Menon, Dillon)."""
    if v >= 16 and v.bit_count() == 1 and v.bit_length() % 2 == 1:
        x = np.arange(v)
        pairs = x & (x >> 1) & ((v - 1) // 3)  # bits 0, 2, 4, …
        values = np.bitwise_count(pairs) % 2 == 1
        yield Design(v, int(values.sum()), lambda: values[x[:, None] ^ x])


def _squares(p: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """The quadratic character modulo p: 0 at 0, +1 at squares, −1 elsewhere."""
    values = np.full(p, -1)
    values[np.arange(p) ** 2 % p] = 1
    values[0] = 0
    return values


def _translates(block: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Patterns:
    cells = np.arange(len(block))
    translates: Patterns = block[(cells - cells[:, None]) % len(block)]
    return translates
