"""A start in closed form: patterns drawn as thresholded Gaussians, so that their information is nearly the best one.

The information matrix behind the nuclear-norm bound is X = 11ᵀ/n·(…) + Y with Y ∝ (PGP)^½ scaled to an even
diagonal. Random patterns that hold each cell with probability p = 1/(1+e^ε), and whose bits have the correlations ρ of
Y, have exactly this X. Bits 1[Z_u > t] of a Gaussian vector Z have correlation ρ when Z has the correlation that the
bivariate normal distribution maps to ρ.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtr, ndtri, roots_legendre

from lowkey.checks import Matrix, Vector
from lowkey.mechanisms.strategy_matrices import Patterns
from lowkey.optimize.arrays import ON_CPU, Arrays

FLATTENING = 8  # rounds that even out the diagonal of Y
MANY, FLATTENING_MANY = 1024, 3  # cells from which an eigenvalue decomposition takes seconds, and the rounds then
FLATTENING_POWER = 0.7
GRID, NODES, REACH = 401, 200, 8.0  # of the map between correlations: grid, quadrature nodes, how far above t
CLOSEST = 0.999  # largest latent correlation on the grid


def gaussian_patterns(gram: Matrix, epsilon: float, outputs: int, seed: int, arrays: Arrays = ON_CPU) -> Patterns:
    """`outputs` random patterns for the workload with this Gram matrix, without the empty and the full one."""
    share = 1 / (1 + math.exp(epsilon))
    factor = _latent_factor(_target_correlation(gram, arrays), share, arrays)
    normals = _orthogonal_normals(outputs, len(gram), np.random.default_rng(seed))
    patterns: Patterns = normals @ factor.T > -ndtri(share)
    return patterns[patterns.any(axis=1) & ~patterns.all(axis=1)]


def _target_correlation(gram: Matrix, arrays: Arrays = ON_CPU) -> Matrix:
    """The correlations of the Y ⪰ 0 with an even diagonal that makes tr[Y⁺ PGP] least, approximately."""
    centred = gram - gram.mean(axis=0)
    centred = centred - centred.mean(axis=1)[:, None]
    scale = np.ones(len(gram))
    for _ in range(FLATTENING if len(gram) <= MANY else FLATTENING_MANY):
        root = _square_root(centred * np.outer(scale, scale), arrays) / np.outer(scale, scale)
        diagonal = np.maximum(root.diagonal(), 1e-12 * root.trace() / len(gram))
        scale *= (diagonal / diagonal.mean()) ** (FLATTENING_POWER / 2)
    width = np.sqrt(diagonal)
    correlation: Matrix = root / np.outer(width, width)
    return correlation


def _square_root(matrix: Matrix, arrays: Arrays) -> Matrix:
    values, vectors = arrays.eigh((matrix + matrix.T) / 2)
    root: Matrix = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
    return root


def _latent_factor(correlation: Matrix, share: float, arrays: Arrays = ON_CPU) -> Matrix:
    """F with unit rows: bits 1[(F z)_u > t] of independent normals z have about these correlations."""
    latent = np.interp(correlation, *_correlation_map(share))
    np.fill_diagonal(latent, 1.0)
    values, vectors = arrays.eigh(latent)
    factor = vectors * np.sqrt(np.maximum(values, 0.0))
    unit: Matrix = factor / np.linalg.norm(factor, axis=1, keepdims=True)
    return unit


def _correlation_map(share: float) -> tuple[Vector, Vector]:
    """Correlations of two bits 1[Z > t], P(Z > t) = share, and the correlations of the two normals behind them."""
    threshold = -float(ndtri(share))
    latent = np.linspace(-CLOSEST, CLOSEST, GRID)
    nodes, weights = roots_legendre(NODES)
    z = threshold + REACH * (nodes + 1) / 2
    density = np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi) * weights * REACH / 2
    both = ndtr((latent[:, None] * z - threshold) / np.sqrt(1 - latent[:, None] ** 2)) @ density
    return (both - share**2) / (share * (1 - share)), latent


def _orthogonal_normals(rows: int, cells: int, rng: np.random.Generator) -> Matrix:
    """Standard normal vectors, orthogonal to each other in blocks of n: they cover the space more evenly."""
    blocks = []
    for _ in range(-(-rows // cells)):
        directions, triangle = np.linalg.qr(rng.standard_normal((cells, cells)))
        directions *= np.copysign(1.0, triangle.diagonal())  # else LAPACK's signs prefer some directions (Mezzadri)
        blocks.append(directions * np.sqrt(rng.chisquare(cells, cells))[:, None])
    return np.concatenate(blocks)[:rows]
