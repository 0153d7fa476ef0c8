"""Complementarity problems as functions, in the manners of SciPy.

Every answer is certified on the original data: `success` says that its residual is within the tolerance or within what
rounding allows. Matrices may be NumPy's, lists, or SciPy's sparse ones. A solve that fails raises nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypedDict, Union

import numpy as np
import numpy.typing as npt

from stiction import _stiction
from stiction._stiction import SolveResult, StictionError
from stiction.arrays import floats

Floats = npt.NDArray[np.float64]


class SolverEntry(TypedDict):
    """A solver: its name, what it is good for, the classes of problems it serves."""

    name: str
    about: str
    classes: list[str]


def solvers() -> list[SolverEntry]:
    """All solvers: `name`, `about` (what it is good for), `classes` (of problems it serves)."""
    return [SolverEntry(name=e["name"], about=e["about"], classes=e["classes"]) for e in _stiction.solvers()]


def solve_lcp(
    M: npt.ArrayLike,
    q: npt.ArrayLike,
    method: str = "robust",
    *,
    tol: float = 1e-10,
    z0: Union[npt.ArrayLike, None] = None,
    time_limit: Union[float, None] = None,
) -> SolveResult:
    """Linear complementarity problem: find z >= 0 with w = M z + q >= 0 and z . w = 0.

    Parameters:
        M: matrix (n x n).
        q: vector (n).
        method: "robust" (several in turn), or a name of `solvers()` that serves the class "lcp".
        tol: largest residual of a solved problem (dimensionless).
        z0: a guess (n).
        time_limit: most time (s); when it is over the best answer so far is returned. None: no limit.

    Returns:
        `.z`, `.w` (n), `.success`, `.status`, `.message`, `.nit`, `.pivots`, `.residual`.

    Raises:
        StictionError: shapes that do not fit, numbers that are not finite, an unknown method.
    """
    return _stiction.solve_lcp(_dense(M), floats(q), method, tol, _guess(z0), time_limit)


def solve_box_lcp(
    M: npt.ArrayLike,
    q: npt.ArrayLike,
    lower: npt.ArrayLike,
    upper: npt.ArrayLike,
    method: str = "robust",
    *,
    tol: float = 1e-10,
    z0: Union[npt.ArrayLike, None] = None,
    time_limit: Union[float, None] = None,
) -> SolveResult:
    """Problem with bounds: lower <= z <= upper, w = M z + q >= 0 at the lower bound, <= 0 at the upper, = 0 between.

    Parameters:
        M: matrix (n x n).
        q: vector (n).
        lower: bounds (n or a number), may be -inf.
        upper: bounds (n or a number), may be inf.
        method: "robust", or a name of `solvers()` that serves the class "box-lcp".
        tol: largest residual of a solved problem (dimensionless).
        z0: a guess (n).
        time_limit: most time (s); when it is over the best answer so far is returned. None: no limit.

    Returns:
        As `solve_lcp`.
    """
    vector = floats(q)
    low, high = (np.broadcast_to(floats(b), vector.shape) for b in (lower, upper))
    return _stiction.solve_box_lcp(_dense(M), vector, low, high, method, tol, _guess(z0), time_limit)


def solve_mlcp(
    M: npt.ArrayLike,
    q: npt.ArrayLike,
    free: Union[npt.ArrayLike, Sequence[bool]],
    method: str = "robust",
    *,
    tol: float = 1e-10,
    z0: Union[npt.ArrayLike, None] = None,
    time_limit: Union[float, None] = None,
) -> SolveResult:
    """Mixed problem: w = M z + q; where `free`, z is free and w = 0, elsewhere 0 <= z perp w >= 0.

    Parameters:
        M: matrix (n x n).
        q: vector (n).
        free: which unknowns are free (n booleans).
        method: "robust", or a name of `solvers()` that serves the class "box-lcp".
        tol: largest residual of a solved problem (dimensionless).
        z0: a guess (n).
        time_limit: most time (s); when it is over the best answer so far is returned. None: no limit.

    Returns:
        As `solve_lcp`.
    """
    mask = [bool(f) for f in np.asarray(free).ravel()]
    return _stiction.solve_mlcp(_dense(M), floats(q), mask, method, tol, _guess(z0), time_limit)


def solve_mcp(
    fun: Callable[[Floats], npt.ArrayLike],
    z0: npt.ArrayLike,
    jac: Union[Callable[[Floats], npt.ArrayLike], None] = None,
    lower: npt.ArrayLike = 0.0,
    upper: npt.ArrayLike = np.inf,
    method: str = "robust",
    *,
    tol: float = 1e-10,
    time_limit: Union[float, None] = None,
) -> SolveResult:
    """Nonlinear problem: lower <= z <= upper, fun(z) >= 0 at the lower bound, <= 0 at the upper, = 0 between.

    Parameters:
        fun: function of z (n) with n values. What it raises is raised.
        z0: a guess (n).
        jac: its Jacobian (n x n) as a function of z; None takes differences, central or, at a bound or where fun is
            not finite, one-sided. They stay within the bounds.
        lower: bounds (n or a number), may be -inf.
        upper: bounds (n or a number), may be inf.
        method: "robust", "path", "fb-plm" or "fb-rlm".
        tol: largest residual of a solved problem (dimensionless).
        time_limit: most time (s); when it is over the best answer so far is returned. None: no limit.

    Returns:
        As `solve_lcp`, with w = fun(z).
    """
    start = np.atleast_1d(floats(z0))
    low, high = (np.broadcast_to(floats(b), start.shape) for b in (lower, upper))
    return _stiction.solve_mcp(fun, start, jac, low, high, method, tol, time_limit)


def solve_ncp(
    W: npt.ArrayLike,
    q: npt.ArrayLike,
    mu: npt.ArrayLike,
    method: str = "robust",
    *,
    law: str = "coulomb",
    tol: float = 1e-10,
    r0: Union[npt.ArrayLike, None] = None,
    time_limit: Union[float, None] = None,
) -> SolveResult:
    """Contacts with exact friction cones: impulses r and velocities u = W r + q that obey Coulomb's law.

    Rows are those of the contacts one after the other, each normal first, then two tangents (one in the plane).

    Parameters:
        W: Delassus matrix (n x n), symmetric positive semidefinite.
        q: free velocities (n).
        mu: coefficients of friction (one a contact, or a number for all; inf: no slip).
        method: "robust", or a name of `solvers()` that serves the class "cone-ncp".
        law: "coulomb", or "associated" for the convex relaxation.
        tol: largest residual of a solved problem (dimensionless).
        r0: a guess (n).
        time_limit: most time (s); when it is over the best answer so far is returned. None: no limit.

    Returns:
        As `solve_lcp`, with z = r and w = u.
    """
    vector = floats(q)
    return _stiction.solve_ncp(_dense(W), vector, _frictions(mu, vector), law, method, tol, _guess(r0), time_limit)


def residual_ncp(
    W: npt.ArrayLike, q: npt.ArrayLike, mu: npt.ArrayLike, r: npt.ArrayLike, *, law: str = "coulomb"
) -> float:
    """The residual of impulses r (n) for the problem of `solve_ncp`, whoever found them (dimensionless)."""
    vector = floats(q)
    impulses = floats(r)
    return _stiction.residual_ncp(_dense(W), vector, _frictions(mu, vector), impulses, law)


def _dense(matrix: Any) -> Floats:
    """A matrix as an array, also one of SciPy's sparse ones."""
    if hasattr(matrix, "toarray"):
        matrix = matrix.toarray()
    array = floats(matrix)
    if array.ndim != 2:
        raise StictionError(f"the matrix has {array.ndim} dimensions, two are needed")
    return array


def _guess(z0: Union[npt.ArrayLike, None]) -> Union[Floats, None]:
    return None if z0 is None else floats(z0)


def _frictions(mu: npt.ArrayLike, q: Floats) -> Floats:
    """One coefficient a contact; a single number is that of contacts with three rows."""
    array = floats(mu)
    return np.full(len(q) // 3, float(array)) if array.ndim == 0 else array
