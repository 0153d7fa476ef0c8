"""Complementarity problems as functions, in the manners of SciPy.

Every answer is certified on the original data: `success` says that its residual is within the tolerance or within what
rounding allows. Matrices may be NumPy's, lists, or SciPy's sparse ones. A solve that fails raises nothing.

All `solve_*` take the same keywords:

- `tol`: largest residual of a solved problem (dimensionless).
- `z0` (`r0`): a guess (n). One worse than zero is dropped by methods that pivot; a basis is not.
- `basis`: a basis to start from, the unknowns inside their bounds: indices, or booleans (n; fewer are those of a part that is
  solved, `basis=part.basis`). For methods that pivot, hold active sets or take Newton steps; sweeps ignore it.
- `solved`: the first so many unknowns are those of `z0` (which may have only these); the basis is theirs.
- `time_limit`: most time (s); when it is over the best answer so far is returned. None: no limit.
- `max_iterations`: most iterations, of methods that only pivot most pivots, of "robust" those of its methods together as far as they
  tell of them. None: as the method sets it.
- `callback`: called with a `SolveProgress` for every iteration of methods that iterate, and by "robust" for every method it
  has tried; a true answer ends the solve with the best answer so far (`Interrupted`). What it raises is raised.

Ctrl-C ends a solve within a tenth of a second.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from typing import Any, TypedDict, Union

import numpy as np
import numpy.typing as npt

from stiction import _stiction
from stiction._stiction import SolveProgress, SolveResult, StictionError
from stiction.arrays import floats

Floats = npt.NDArray[np.float64]

Callback = Callable[[SolveProgress], Any]

Basis = Union[npt.ArrayLike, Sequence[int], Sequence[bool]]

Law = Union[float, str, tuple[Any, ...]]


class SolverEntry(TypedDict):
    """A solver: its name, what it is good for, the classes of problems it serves."""

    name: str
    about: str
    classes: list[str]


def solvers() -> list[SolverEntry]:
    """All solvers: `name`, `about` (what it is good for), `classes` (of problems it serves)."""
    return [SolverEntry(name=e["name"], about=e["about"], classes=e["classes"]) for e in _stiction.solvers()]


class Factored:
    """The matrix M = J Minv J^T + D of an LCP, which is not formed: the work grows with the columns of J.

    Parameters:
        J: Jacobian (n x m), a row for each unknown; of contacts in 1/m times m, as velocity is of velocity.
        Minv: symmetric positive definite inverse inertia (m x m), or its diagonal (m); None is the identity.
        D: nonnegative diagonal (n or a number), of contacts their compliance; None is zero. It adds n columns.

    Raises:
        StictionError: shapes that do not fit, a Minv that is not positive definite, a negative D.
    """

    def __init__(
        self,
        J: npt.ArrayLike,
        Minv: Union[npt.ArrayLike, None] = None,
        D: Union[npt.ArrayLike, None] = None,
    ) -> None:
        half = _dense(J)
        if Minv is not None:
            inverse = floats(Minv)
            if inverse.shape == (half.shape[1],) and (inverse > 0).all():
                half = half * np.sqrt(inverse)
            elif inverse.shape == (half.shape[1],) * 2 and np.allclose(inverse, inverse.T, rtol=1e-12, atol=0):
                try:
                    half = half @ np.linalg.cholesky(inverse)
                except np.linalg.LinAlgError:
                    raise StictionError("Minv is not positive definite") from None
            else:
                m = half.shape[1]
                raise StictionError(f"Minv: a symmetric matrix ({m} x {m}) or a positive vector ({m}) is needed")
        if D is not None:
            diagonal = np.broadcast_to(floats(D), half.shape[:1])
            if not (diagonal >= 0).all():
                raise StictionError("D: no entry may be negative")
            half = np.hstack([half, np.diag(np.sqrt(diagonal))])
        self.half: Floats = half
        """Y (n x m) with M = Y Y^T."""

    def __matmul__(self, z: npt.ArrayLike) -> Floats:
        """M z."""
        product: Floats = self.half @ (self.half.T @ floats(z))
        return product


def solve_lcp(
    M: Union[npt.ArrayLike, Factored],
    q: npt.ArrayLike,
    method: str = "robust",
    *,
    tol: float = 1e-10,
    z0: Union[npt.ArrayLike, None] = None,
    basis: Union[Basis, None] = None,
    solved: Union[int, None] = None,
    time_limit: Union[float, None] = None,
    max_iterations: Union[int, None] = None,
    callback: Union[Callback, None] = None,
) -> SolveResult:
    """Linear complementarity problem: find z >= 0 with w = M z + q >= 0 and z . w = 0.

    Parameters:
        M: matrix (n x n), or a `Factored` one.
        q: vector (n).
        method: "robust" (several in turn), or a name of `solvers()` that serves the class "lcp" ("factored-lcp" for a
            factored matrix), with settings after it ("pgs max_iterations=200 history=true").
        tol, z0, basis, solved, time_limit, max_iterations, callback: see `stiction.solving`.

    Returns:
        `.z`, `.w` (n), `.success`, `.status`, `.message`, `.nit`, `.pivots`, `.residual` (dimensionless), `.seconds`; `.basis` (n booleans) to
        start a like problem from; `.tried` of "robust"; `.history` (k x 2) if asked for; after the status `Infeasible` the
        proof `.certificate` (n; y >= 0, M^T y <= 0, q . y < 0), which "robust", "ppm" and "active-set-qp" tell, else None.

    Raises:
        StictionError: shapes that do not fit, numbers that are not finite, an unknown method.
    """
    vector = floats(q)
    ask = _ask(method, tol, z0, (basis, solved), (time_limit, max_iterations), callback, len(vector))
    if isinstance(M, Factored):
        return _stiction.solve_factored_lcp(M.half, vector, ask)
    return _stiction.solve_lcp(_dense(M), vector, ask)


def solve_box_lcp(
    M: npt.ArrayLike,
    q: npt.ArrayLike,
    lower: npt.ArrayLike,
    upper: npt.ArrayLike,
    method: str = "robust",
    *,
    tol: float = 1e-10,
    z0: Union[npt.ArrayLike, None] = None,
    basis: Union[Basis, None] = None,
    solved: Union[int, None] = None,
    time_limit: Union[float, None] = None,
    max_iterations: Union[int, None] = None,
    callback: Union[Callback, None] = None,
) -> SolveResult:
    """Problem with bounds: lower <= z <= upper, w = M z + q >= 0 at the lower bound, <= 0 at the upper, = 0 between.

    Parameters:
        M: matrix (n x n).
        q: vector (n).
        lower: bounds (n or a number), may be -inf.
        upper: bounds (n or a number), may be inf.
        method: "robust", or a name of `solvers()` that serves the class "box-lcp", with settings after it.
        tol, z0, basis, solved, time_limit, max_iterations, callback: see `stiction.solving`.

    Returns:
        As `solve_lcp`; no certificate.
    """
    vector = floats(q)
    low, high = (np.broadcast_to(floats(b), vector.shape) for b in (lower, upper))
    limits = (time_limit, max_iterations)
    ask = _ask(method, tol, z0, (basis, solved), limits, callback, len(vector), low, high)
    return _stiction.solve_box_lcp(_dense(M), vector, low, high, ask)


def solve_mlcp(
    M: npt.ArrayLike,
    q: npt.ArrayLike,
    free: Union[npt.ArrayLike, Sequence[bool]],
    method: str = "robust",
    *,
    tol: float = 1e-10,
    z0: Union[npt.ArrayLike, None] = None,
    basis: Union[Basis, None] = None,
    solved: Union[int, None] = None,
    time_limit: Union[float, None] = None,
    max_iterations: Union[int, None] = None,
    callback: Union[Callback, None] = None,
) -> SolveResult:
    """Mixed problem: w = M z + q; where `free`, z is free and w = 0, elsewhere 0 <= z perp w >= 0.

    Parameters:
        M: matrix (n x n).
        q: vector (n).
        free: which unknowns are free (n booleans).
        method: "robust", or a name of `solvers()` that serves the class "box-lcp", with settings after it.
        tol, z0, basis, solved, time_limit, max_iterations, callback: see `stiction.solving`.

    Returns:
        As `solve_lcp`; no certificate.
    """
    vector = floats(q)
    mask = [bool(f) for f in np.asarray(free).ravel()]
    low = np.where(mask, -np.inf, 0.0)
    limits = (time_limit, max_iterations)
    ask = _ask(method, tol, z0, (basis, solved), limits, callback, len(vector), low)
    return _stiction.solve_mlcp(_dense(M), vector, mask, ask)


def solve_mcp(
    fun: Callable[[Floats], npt.ArrayLike],
    z0: npt.ArrayLike,
    jac: Union[Callable[[Floats], npt.ArrayLike], None] = None,
    lower: npt.ArrayLike = 0.0,
    upper: npt.ArrayLike = np.inf,
    method: str = "robust",
    *,
    tol: float = 1e-10,
    basis: Union[Basis, None] = None,
    time_limit: Union[float, None] = None,
    max_iterations: Union[int, None] = None,
    callback: Union[Callback, None] = None,
) -> SolveResult:
    """Nonlinear problem: lower <= z <= upper, fun(z) >= 0 at the lower bound, <= 0 at the upper, = 0 between.

    Parameters:
        fun: function of z (n) with n values. What it raises is raised at once; it is not called again.
        z0: a guess (n).
        jac: its Jacobian (n x n) as a function of z; None takes differences, central or, at a bound or where fun is
            not finite, one-sided, over steps that shrink where fun bends. They stay within the bounds.
        lower: bounds (n or a number), may be -inf.
        upper: bounds (n or a number), may be inf.
        method: "robust", "path", "fb-plm" or "fb-rlm", with settings after it ("path restarts=0").
        tol, basis, time_limit, max_iterations, callback: see `stiction.solving`.

    Returns:
        As `solve_lcp`, with w = fun(z), and `.nfev`, `.njev`, the calls of fun and jac; no certificate.
    """
    start = np.atleast_1d(floats(z0))
    low, high = (np.broadcast_to(floats(b), start.shape) for b in (lower, upper))
    limits = (time_limit, max_iterations)
    ask = _ask(method, tol, None, (basis, None), limits, callback, len(start))
    return _stiction.solve_mcp(fun, start, jac, low, high, ask)


def solve_ncp(
    W: npt.ArrayLike,
    q: npt.ArrayLike,
    mu: npt.ArrayLike,
    method: str = "robust",
    *,
    law: str = "coulomb",
    tol: float = 1e-10,
    r0: Union[npt.ArrayLike, None] = None,
    basis: Union[Basis, None] = None,
    solved: Union[int, None] = None,
    time_limit: Union[float, None] = None,
    max_iterations: Union[int, None] = None,
    callback: Union[Callback, None] = None,
) -> SolveResult:
    """Contacts with exact friction cones: impulses r and velocities u = W r + q that obey Coulomb's law.

    Rows are those of the contacts one after the other, each normal first, then two tangents (one in the plane).

    Parameters:
        W: Delassus matrix (n x n), symmetric positive semidefinite.
        q: free velocities (n).
        mu: coefficients of friction (one a contact, or a number for all; inf: no slip).
        method: "robust", or a name of `solvers()` that serves the class "cone-ncp", with settings after it.
        law: "coulomb", or "associated" for the convex relaxation.
        tol, r0, basis, solved, time_limit, max_iterations, callback: see `stiction.solving`.

    Returns:
        As `solve_lcp`, with z = r and w = u; no certificate.
    """
    vector = floats(q)
    ask = _ask(method, tol, r0, (basis, solved), (time_limit, max_iterations), callback, len(vector), -np.inf)
    return _stiction.solve_cones(_dense(W), vector, _contacts(mu, vector), None, law, ask)


def solve_cones(
    W: npt.ArrayLike,
    q: npt.ArrayLike,
    laws: Sequence[Law],
    method: str = "robust",
    *,
    compliance: Union[npt.ArrayLike, None] = None,
    law: str = "coulomb",
    tol: float = 1e-10,
    r0: Union[npt.ArrayLike, None] = None,
    basis: Union[Basis, None] = None,
    solved: Union[int, None] = None,
    time_limit: Union[float, None] = None,
    max_iterations: Union[int, None] = None,
    callback: Union[Callback, None] = None,
) -> SolveResult:
    """Impulses r and velocities u = W r + q of which every block of rows obeys a law of its own.

    Parameters:
        W: Delassus matrix (n x n), symmetric positive semidefinite.
        q: free velocities (n).
        laws: one a block, which take the rows one after the other:
            a number mu, or ("coulomb", mu), is a contact of three rows with dry friction, normal first, and ("coulomb", mu, 2) one in
            the plane; inf, or ("no-slip", rows), one that sticks (three rows, or two); ("nonnegative", rows), frictionless contacts (one
            row); ("free", rows), rows whose velocity vanishes whatever impulse it takes (one row); ("interval", lower,
            upper), one row with a bounded impulse, say of dry friction in a joint.
        method: "robust", or a name of `solvers()` that serves the class "cone-ncp", with settings after it.
        compliance: velocity per impulse added to the diagonal (n); None: rigid.
        law: "coulomb", or "associated" for the convex relaxation, of all contacts.
        tol, r0, basis, solved, time_limit, max_iterations, callback: see `stiction.solving`.

    Returns:
        As `solve_lcp`, with z = r and w = u; no certificate.
    """
    vector = floats(q)
    ask = _ask(method, tol, r0, (basis, solved), (time_limit, max_iterations), callback, len(vector), -np.inf)
    softness = None if compliance is None else floats(compliance)
    return _stiction.solve_cones(_dense(W), vector, _laws(laws), softness, law, ask)


def residual_ncp(
    W: npt.ArrayLike, q: npt.ArrayLike, mu: npt.ArrayLike, r: npt.ArrayLike, *, law: str = "coulomb"
) -> float:
    """The residual of impulses r (n) for the problem of `solve_ncp`, whoever found them (dimensionless)."""
    vector = floats(q)
    return _stiction.residual_cones(_dense(W), vector, _contacts(mu, vector), None, law, floats(r))


def residual_cones(
    W: npt.ArrayLike,
    q: npt.ArrayLike,
    laws: Sequence[Law],
    r: npt.ArrayLike,
    *,
    compliance: Union[npt.ArrayLike, None] = None,
    law: str = "coulomb",
) -> float:
    """The residual of impulses r (n) for the problem of `solve_cones`, whoever found them (dimensionless)."""
    softness = None if compliance is None else floats(compliance)
    return _stiction.residual_cones(_dense(W), floats(q), _laws(laws), softness, law, floats(r))


def _dense(matrix: Any) -> Floats:
    """A matrix as an array, also one of SciPy's sparse ones."""
    if hasattr(matrix, "toarray"):
        matrix = matrix.toarray()
    array = floats(matrix)
    if array.ndim != 2:
        raise StictionError(f"the matrix has {array.ndim} dimensions, two are needed")
    return array


def _ask(
    method: str,
    tol: float,
    z0: Union[npt.ArrayLike, None],
    start: tuple[Union[Basis, None], Union[int, None]],
    limits: tuple[Union[float, None], Union[int, None]],
    callback: Union[Callback, None],
    n: int,
    lower: npt.ArrayLike = 0.0,
    upper: npt.ArrayLike = np.inf,
) -> dict[str, Any]:
    """What every solve is asked for; the bounds tell which unknowns of a guess are basic."""
    basis, solved = start
    guess = None if z0 is None else floats(z0)
    indices = None if basis is None else _indices(basis, n)
    if solved is not None:
        if guess is None or guess.ndim != 1 or not 0 <= solved <= min(len(guess), n):
            raise StictionError(f"solved {solved}: z0 with as many unknowns is needed, and a problem with no fewer")
        if basis is not None:
            raise StictionError("solved and basis are two starts: one is needed")
        low, high = (np.broadcast_to(b, (n,))[:solved] for b in (lower, upper))
        inside = (guess[:solved] > low) & (guess[:solved] < high) & (guess[:solved] != 0.0)
        indices, guess = [int(i) for i in np.flatnonzero(inside)], None
    limit = limits[1]
    if limit is not None and limit < 0:
        raise StictionError(f"max_iterations {limit}: a number of at least 0 is needed")
    return {
        "method": method,
        "tol": tol,
        "z0": None if guess is None else guess.ravel().tolist(),
        "basis": indices,
        "time_limit": limits[0],
        "max_iterations": limit,
        "callback": callback,
    }


def _indices(basis: Basis, n: int) -> list[int]:
    """The indices of a basis."""
    array = np.asarray(basis)
    if array.dtype == bool:
        if array.ndim != 1 or len(array) > n:
            raise StictionError(f"the basis has the shape {array.shape}, at most {n} booleans are needed")
        array = np.flatnonzero(array)
    if array.size and array.dtype.kind not in "iu":
        raise StictionError(f"the basis holds {array.dtype}: indices or booleans are needed")
    if (array < 0).any():
        raise StictionError(f"the basis has the index {array.min()}: none may be negative")
    return [int(i) for i in array.ravel()]


def _contacts(mu: npt.ArrayLike, q: Floats) -> str:
    """The laws of contacts as JSON: one coefficient a contact; a single number is that of contacts with three rows."""
    array = floats(mu)
    array = np.full(len(q) // 3, float(array)) if array.ndim == 0 else array.ravel()
    rows, count = len(q), len(array)
    dim = rows // count if count else 3
    if dim * count != rows or (count and dim not in (2, 3)):
        raise StictionError(
            f"{rows} rows are not those of {count} contacts: each has three, normal first, or in the plane two"
        )
    return _laws([("no-slip", dim) if m == np.inf else ("coulomb", float(m), dim) for m in array])


def _laws(laws: Sequence[Law]) -> str:
    """Laws as JSON in the form of problem files."""
    return json.dumps([_law(i, law) for i, law in enumerate(laws)])


def _law(i: int, law: Law) -> dict[str, Any]:
    words = law if isinstance(law, tuple) else (law,)
    kind, rest = (words[0], words[1:]) if isinstance(words[0], str) else ("coulomb", words)
    if kind == "coulomb" and rest and rest[0] == np.inf:
        kind, rest = "no-slip", rest[1:]
    count = len(rest)
    try:
        if kind == "coulomb" and count in (1, 2):
            mu = float(rest[0])
            if not math.isfinite(mu):
                raise StictionError(f"laws[{i}]: the coefficient {mu} is no number")
            return {"coulomb": {"dim": int(rest[1]) if count == 2 else 3, "mu": mu}}
        if kind == "interval" and count == 2:
            ends = [float(end) if math.isfinite(end) else str(float(end)) for end in rest]
            return {"interval": {"lower": ends[0], "upper": ends[1]}}
        if kind in ("no-slip", "nonnegative", "free") and count <= 1:
            rows = int(rest[0]) if count else 3 if kind == "no-slip" else 1
            return {kind.replace("-", "_"): {"dim": rows}}
    except (TypeError, ValueError) as error:
        if isinstance(error, StictionError):
            raise
    raise StictionError(
        f'laws[{i}] is {law!r}: a coefficient of friction, ("coulomb", mu, rows), ("no-slip", rows), ("nonnegative", rows), '
        '("free", rows) or ("interval", lower, upper) is needed'
    )
