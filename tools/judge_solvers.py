#!/usr/bin/env python3
"""Judges what the solvers say of random problems, by rules that know nothing of the solvers.

    python3 tools/judge_solvers.py [--count N] [--seed S] [--time-limit SECONDS]

Linear, box, mixed and nonlinear problems are drawn with what makes solvers wrong: singular, degenerate and copositive
matrices, games, diagonals down to 1e-16, rows and columns 1e12 apart, nothing that solves them, guesses that are no answer.
Each goes to a solver drawn at random, one time in three to `robust`. Judged are

* *solved*: the residual is computed again from z alone. With `s_i = sum_j |M_ij z_j| + |q_i|`, the size of the terms of row i, the
  answer has to solve a problem whose numbers differ from those given by at most 1e-6 of each: z within its bounds; `w_i >= -1e-6 s_i`
  unless z_i is at its upper bound, `w_i <= 1e-6 s_i` unless it is at its lower one, where "at" means that moving it onto the bound
  changes no row by more than 1e-6 s_j. Of nonlinear problems the same with the Jacobian in place of M, and `s_i` of their terms.
  To s_i counts what the error of zeros may be: 1e-5 of the terms that row i had, were all unknowns of the size of the largest
  (in units in which the columns are of one size);
* *infeasible*: of linear problems, HiGHS (SciPy) finds no z with M z + q in its range; or, where it does, none on any of the
  complementary faces. With more than ten unknowns that have bounds the faces are too many, and nothing is said;
* *time*: nothing takes longer than the limit and `--grace` seconds more;
* *what is returned*: w is M z + q.

Prints what is wrong with the seed of the problem, a count by kind and by status, and exits with 1 if anything was.
"""

import argparse
import itertools
import sys
import time
from collections import Counter

import numpy as np
from scipy.optimize import linprog

import stiction

EDGE = 1e-6
DUST = 1e-5
METHODS = {name: [s["name"] for s in stiction.solvers() if name in s["classes"]] for name in ("lcp", "box-lcp", "mlcp", "mcp")}


class Problem:
    """A box problem `lower <= z <= upper` with `w = M z + q`, or `w = f(z)` with the Jacobian `M(z)`."""

    def __init__(self, kind, M, q, lower, upper, f=None, jacobian=None):
        self.kind, self.M, self.q, self.lower, self.upper = kind, M, q, lower, upper
        self.f, self.jacobian = f, jacobian

    def rows(self, z):
        """w, the sizes of the terms of its rows, and its matrix at z."""
        if self.f is None:
            return self.M @ z + self.q, np.abs(self.M) @ np.abs(z) + np.abs(self.q), self.M
        w, size = self.f(z)
        return w, size, self.jacobian(z)

    def solve(self, method, tol, guess, limit):
        n = len(self.lower)
        if self.kind == "lcp":
            return stiction.solve_lcp(self.M, self.q, method, tol=tol, z0=guess, time_limit=limit)
        if self.kind == "box-lcp":
            return stiction.solve_box_lcp(self.M, self.q, self.lower, self.upper, method, tol=tol, z0=guess, time_limit=limit)
        if self.kind == "mlcp":
            return stiction.solve_mlcp(self.M, self.q, self.lower == -np.inf, method, tol=tol, z0=guess, time_limit=limit)
        start = np.clip(np.ones(n) if guess is None else guess, self.lower, self.upper)
        jacobian = self.jacobian if self.exact else None
        return stiction.solve_mcp(lambda z: self.f(z)[0], start, jacobian, self.lower, self.upper, method, tol=tol, time_limit=limit)


def matrix(rng, n):
    """A matrix of a kind that contact, games or nothing at all would give, and the name of the kind."""
    a = rng.normal(size=(n, n))
    rank = rng.integers(1, n + 1)
    kinds = {
        "definite": lambda: a @ a.T / n + 0.1 * np.eye(n),
        "singular": lambda: a[:, :rank] @ a[:, :rank].T / n,
        "skewed": lambda: a[:, :rank] @ a[:, :rank].T / n + (a - a.T),
        "ties": lambda: (lambda b: b @ b.T)(rng.integers(-1, 2, size=(n, rank)).astype(float)),
        "copositive": lambda: np.abs(a),
        "integers": lambda: rng.integers(-2, 3, size=(n, n)).astype(float),
        "any": lambda: a,
        "game": lambda: game(rng, n),
        "small diagonal": lambda: a - np.diag(np.diag(a)) + np.diag(10.0 ** rng.uniform(-16, 0, size=n)),
        "zero diagonal": lambda: np.abs(a) - np.diag(np.diag(np.abs(a))),
        "sparse": lambda: a * (rng.random((n, n)) < 0.3),
    }
    name = rng.choice(list(kinds))
    return kinds[name](), name


def game(rng, n):
    """[[0, A], [B^T, 0]] with positive costs A and B."""
    k = max(1, n // 2)
    M = np.zeros((n, n))
    M[:k, k:] = rng.random((k, n - k))
    M[k:, :k] = rng.random((n - k, k))
    return M


def draw(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.choice([1, 2, 3, 5, 8, 13, 20, 40], p=[0.1, 0.15, 0.15, 0.2, 0.15, 0.1, 0.1, 0.05]))
    if rng.random() < 0.003:
        n = int(rng.integers(100, 301))
    kind = str(rng.choice(["lcp", "box-lcp", "mlcp", "mcp"], p=[0.4, 0.2, 0.2, 0.2]))
    M, name = matrix(rng, n)
    way = rng.choice(["solution", "negative", "any", "integers", "positive"])
    lower, upper = np.zeros(n), np.full(n, np.inf)
    if kind == "box-lcp":
        lower = np.where(rng.random(n) < 0.2, -np.inf, -rng.random(n) * (rng.random(n) < 0.7))
        upper = np.where(rng.random(n) < 0.3, np.inf, np.maximum(lower, 0) + rng.random(n) * (rng.random(n) < 0.9))
    if kind == "mlcp" or kind == "mcp" and rng.random() < 0.3:
        lower = np.where(rng.random(n) < 0.4, -np.inf, 0.0)
    # A problem with a solution has one that may be degenerate.
    z = np.clip(rng.exponential(size=n) * (rng.random(n) < 0.5), np.maximum(lower, -9), np.minimum(upper, 9))
    w = rng.exponential(size=n) * (rng.random(n) < 0.6)
    w = np.where(z == lower, w, np.where(z == upper, -w, 0.0))
    q = {"solution": w - M @ z, "negative": -rng.random(n), "any": rng.normal(size=n),
         "integers": rng.integers(-2, 3, size=n).astype(float), "positive": rng.random(n)}[way]
    if rng.random() < 0.3:
        decades = rng.uniform(0, 12)
        row, column = (10.0 ** rng.uniform(-decades / 2, decades / 2, size=n) for _ in range(2))
        if rng.random() < 0.5:
            column = np.ones(n)
        M, q = row[:, None] * M * column, row * q
        lower, upper = lower / column, upper / column
    guess = rng.normal(size=n) * 10.0 ** rng.uniform(-3, 3) if rng.random() < 0.3 else None
    problem = Problem(kind, M, q, lower, upper)
    problem.exact = rng.random() < 0.7
    if kind == "mcp":
        bend(problem, rng, M, q)
    serving = METHODS[kind]
    method = "robust" if rng.random() < 1 / 3 else str(rng.choice(serving))
    return problem, f"{kind}, {name} {n}, {way}", method, guess


def bend(problem, rng, M, q):
    """Nonlinear terms: cubes, exponentials or reciprocals along the diagonal."""
    n = len(q)
    c = np.abs(rng.normal(size=n)) * (rng.random(n) < 0.6)
    form = rng.choice(["cube", "exp", "reciprocal"])
    if form == "reciprocal":
        problem.lower = np.maximum(problem.lower, 0.0)

    def term(z):
        if form == "cube":
            return c * z**3, 3 * c * z**2
        if form == "exp":
            e = np.exp(np.minimum(z, 300.0))
            return c * e, c * e
        return -c / (z + 0.1), c / (z + 0.1) ** 2

    def f(z):
        value, _ = term(z)
        return M @ z + q + value, np.abs(M) @ np.abs(z) + np.abs(q) + np.abs(value)

    problem.f = f
    problem.jacobian = lambda z: M + np.diag(term(z)[1])


def wrong_answer(problem, result):
    """What is wrong with an answer that is said to solve the problem; None if nothing is."""
    z, n = np.asarray(result.z), len(problem.lower)
    if not np.all(np.isfinite(z)):
        return "z is not finite"
    if np.any(z < problem.lower) or np.any(z > problem.upper):
        return "z is out of its bounds"
    w, size, M = problem.rows(z)
    columns = np.abs(M).max(axis=0)
    unit = np.max(np.abs(z) * columns) / np.where(columns > 0, columns, np.inf)
    size = size + DUST * np.abs(M) @ unit
    if np.any(np.abs(np.asarray(result.w) - w) > 1e-9 * size + 1e-300):
        return "w is not that of z"

    def at(bound):
        """Whether moving z_i onto the bound changes no row by more than its part."""
        shift = np.where(np.isfinite(bound), np.abs(z - bound), np.inf)
        return np.array([shift[i] == 0 or np.isfinite(shift[i]) and np.all(np.abs(M[:, i]) * shift[i] <= EDGE * size) for i in range(n)])

    low, high = at(problem.lower), at(problem.upper)
    negative, positive = w < -EDGE * size - 1e-300, w > EDGE * size + 1e-300
    for i in range(n):
        if negative[i] and not high[i] or positive[i] and not low[i]:
            return f"row {i}: z = {z[i]:.3e} in [{problem.lower[i]:.1e}, {problem.upper[i]:.1e}], w = {w[i]:.3e}, terms {size[i]:.1e}"
    return None


def is_solvable(problem):
    """Whether a linear problem has a solution; None if it cannot be said."""
    if problem.f is not None:
        return None
    free = [i for i in range(len(problem.q)) if problem.lower[i] == -np.inf and problem.upper[i] == np.inf]
    if is_face_feasible(problem, {i: "inside" for i in free}) is False:
        return False
    if len(problem.q) - len(free) > 10:
        return None
    choices = [["inside"] if i in free else
               [place for place, bound in (("lower", problem.lower[i]), ("upper", problem.upper[i]), ("inside", 0.0)) if np.isfinite(bound)]
               for i in range(len(problem.q))]
    faces = (is_face_feasible(problem, dict(enumerate(face))) for face in itertools.product(*choices))
    return any(feasible is True for feasible in faces)


def is_face_feasible(problem, places):
    """Whether HiGHS finds z where some unknowns are at the lower or upper bound or inside, with w as is due there, and the others are
    anywhere in their bounds; what it finds has to hold to rounding. None if that does not say."""
    scale = np.maximum(np.abs(problem.M).max(axis=1, initial=0), np.abs(problem.q))
    scale[scale == 0] = 1
    M, q = problem.M / scale[:, None], problem.q / scale
    below, b, equal, c = [], [], [], []
    bounds = [list(pair) for pair in zip(problem.lower, problem.upper)]
    for i in range(len(q)):
        place = places.get(i)
        if place == "inside":
            equal.append(M[i]), c.append(-q[i])
        if place == "lower" or place is None and problem.upper[i] == np.inf:
            below.append(-M[i]), b.append(q[i])
        if place == "upper" or place is None and problem.lower[i] == -np.inf:
            below.append(M[i]), b.append(-q[i])
        if place in ("lower", "upper"):
            bounds[i] = [bounds[i][place == "upper"]] * 2
    finite = [tuple(bound if np.isfinite(bound) else None for bound in pair) for pair in bounds]
    arrays = {"A_ub": np.array(below) if below else None, "b_ub": np.array(b) if below else None,
              "A_eq": np.array(equal) if equal else None, "b_eq": np.array(c) if equal else None}
    answer = linprog(np.zeros(len(q)), bounds=finite, method="highs", **arrays)
    if answer.status == 2:
        return False
    if answer.status != 0:
        return None
    z = np.clip(answer.x, *np.array(bounds).T)
    excess = np.concatenate([
        (np.array(below) @ z - b) / (np.abs(below) @ np.abs(z) + np.abs(b) + 1e-300) if below else [],
        np.abs(np.array(equal) @ z - c) / (np.abs(equal) @ np.abs(z) + np.abs(c) + 1e-300) if equal else []])
    return True if np.all(excess <= 1e-12) else None


def judge(seed, limit, grace):
    problem, name, method, guess = draw(seed)
    start = time.perf_counter()
    result = problem.solve(method, 1e-10, guess, limit)
    spent = time.perf_counter() - start
    faults = []
    if result.success:
        fault = wrong_answer(problem, result)
        if fault:
            faults.append(("false solved", fault))
    elif result.status.lower().startswith("infeas") and is_solvable(problem):
        faults.append(("false infeasible", ""))
    if spent > limit + grace:
        faults.append(("late", f"{spent:.3f} s"))
    return name, method, result, faults


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--time-limit", type=float, default=0.2)
    parser.add_argument("--grace", type=float, default=0.05)
    options = parser.parse_args()
    statuses, wrong = Counter(), Counter()
    # Terms may overflow, and functions have poles, where a solver looks.
    np.seterr(all="ignore")
    for seed in range(options.seed, options.seed + options.count):
        name, method, result, faults = judge(seed, options.time_limit, options.grace)
        statuses[(name.split(",")[0], method == "robust", result.status)] += 1
        for kind, fault in faults:
            wrong[kind] += 1
            print(f"{kind}: seed {seed}, {name}, {method}, residual {result.residual:.1e}: {fault}", flush=True)
    for (kind, robust, status), count in sorted(statuses.items()):
        print(f"{kind:8} {'robust' if robust else 'others':7} {status:20} {count}")
    print(f"{options.count} problems: " + (", ".join(f"{count} {kind}" for kind, count in wrong.items()) or "nothing is wrong"))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
