"""Solvers as functions: right answers, honest failures, clear refusals; agreement with other libraries."""

from __future__ import annotations

import signal
import threading
import time
from typing import Any

import numpy as np
import pytest

import stiction


def test_small_problems_have_the_answers_that_all_bases_give() -> None:
    M = np.array([[0, 0, -1, -1], [0, 0, 1, -2], [1, -1, 2, -2], [1, 2, -2, 4.0]])
    q = np.array([2, 2, -2, -6.0])
    for method in ("robust", "lemke", "path", "enumeration"):
        res = stiction.solve_lcp(M, q, method=method)
        assert res.success and res.status == "Solved", (method, res)
        assert res.z == pytest.approx([2.8, 0, 0.8, 1.2], abs=1e-9) and res.w == pytest.approx([0, 0.4, 0, 0], abs=1e-9)
        assert res.residual < 1e-10 and res.method == method
    assert stiction.solve_lcp([[1.0]], [-9.8]).z == pytest.approx([9.8])


def test_a_problem_without_solution_is_no_exception_but_a_status() -> None:
    res = stiction.solve_lcp([[0.0]], [-1.0])
    assert not res.success and res.status in ("Infeasible", "Ray") and len(res.z) == 1
    assert "no solution" in res.message or "ray" in res.message


def test_bounds_free_unknowns_and_cones() -> None:
    res = stiction.solve_box_lcp([[2.0, 0], [0, 2.0]], [-10, 1.0], -1, 1)
    assert res.z == pytest.approx([1, -0.5])
    res = stiction.solve_mlcp([[2.0, 0], [0, 1.0]], [-1, 3.0], [True, False])
    assert res.z == pytest.approx([0.5, 0])
    res = stiction.solve_ncp(np.eye(3), [-10, -3, -4], 0.3)
    assert res.z == pytest.approx([10, 1.8, 2.4], abs=1e-9) and res.w == pytest.approx([0, -1.2, -1.6], abs=1e-9)
    W = [[2, 0.3, 0.4], [0.3, 1.5, -0.2], [0.4, -0.2, 1]]
    q = [-1, 2, -0.7]
    res = stiction.solve_ncp(W, q, [0.3], method="chain")
    assert res.z == pytest.approx([0.5159012088, -0.1510402933, 0.0337741758], abs=1e-9)
    assert stiction.residual_ncp(W, q, 0.3, res.z) == res.residual <= 1e-10
    assert stiction.residual_ncp(W, q, 0.3, [0.5, 0, 0]) > 1e-2
    # Under the convex relaxation the sliding contact opens: not Coulomb's law.
    assert stiction.solve_ncp(W, q, 0.3, law="associated").w[0] > 0.1
    # A problem in the plane, and one without slip.
    assert stiction.solve_ncp(np.eye(2), [-1, 0.1], [0.5]).z == pytest.approx([1, -0.1])
    assert stiction.solve_ncp(np.eye(3), [-1, 5, 0], np.inf).z == pytest.approx([1, -5, 0])


def test_nonlinear_problems_take_functions_with_or_without_a_jacobian() -> None:
    def fun(z: np.ndarray) -> np.ndarray:
        return np.array([z[0] ** 3 - 8 + z[1], z[1] + 0.5])

    def jac(z: np.ndarray) -> np.ndarray:
        return np.array([[3 * z[0] ** 2, 1], [0, 1]])

    for method in ("robust", "path", "fb-plm", "fb-rlm"):
        for given in (jac, None):
            res = stiction.solve_mcp(fun, [1.0, 1.0], given, method=method)
            assert res.success and res.z == pytest.approx([2, 0], abs=1e-8), (method, res)
    assert stiction.solve_mcp(fun, [1.0, 1.0], upper=1.0).z == pytest.approx([1, 0])

    def broken(z: np.ndarray) -> np.ndarray:
        raise ZeroDivisionError("in the user's function")

    with pytest.raises(ZeroDivisionError, match="in the user's function"):
        stiction.solve_mcp(broken, [1.0])
    with pytest.raises(stiction.StictionError, match="fun returned 1 numbers, 2 are needed"):
        stiction.solve_mcp(lambda z: [1.0], [1.0, 2.0])


def test_bad_problems_are_refused_with_what_would_be_right() -> None:
    with pytest.raises(stiction.StictionError, match=r"the shape \(2, 2\), \(3, 3\) is needed"):
        stiction.solve_lcp(np.eye(2), np.zeros(3))
    with pytest.raises(stiction.StictionError, match="row 0, column 0 is NaN"):
        stiction.solve_lcp([[np.nan]], [1.0])
    with pytest.raises(stiction.StictionError, match="there is no solver \"lemk\""):
        stiction.solve_lcp(np.eye(2), np.zeros(2), method="lemk")
    with pytest.raises(stiction.StictionError, match="ppm does not serve problems of class lcp"):
        stiction.solve_lcp(np.eye(2), np.zeros(2), method="ppm")
    with pytest.raises(stiction.StictionError, match="4 rows are not those of 1 contacts"):
        stiction.solve_ncp(np.eye(4), np.zeros(4), [0.5])
    with pytest.raises(stiction.StictionError, match="law 'x'|law \"x\""):
        stiction.solve_ncp(np.eye(3), np.zeros(3), 0.5, law="x")


def test_a_guess_that_is_the_answer_takes_no_iterations() -> None:
    rng = np.random.default_rng(1)
    A = rng.normal(size=(12, 12))
    M, q = A @ A.T + np.eye(12), rng.normal(size=12)
    first = stiction.solve_lcp(M, q, method="fb-plm")
    again = stiction.solve_lcp(M, q, method="fb-plm", z0=first.z)
    assert first.success and again.nit == 0 and np.array_equal(first.z, again.z)


def test_every_solver_solves_what_it_says_it_serves() -> None:
    rng = np.random.default_rng(3)
    A = rng.normal(size=(6, 6))
    M, q = A @ A.T + 0.5 * np.eye(6), rng.normal(size=6)
    cases = {
        "lcp": lambda name: stiction.solve_lcp(M, q, name),
        "box-lcp": lambda name: stiction.solve_box_lcp(M, q, -0.1, 0.2, name),
        # The conic library serves convex problems, and answers them to half the digits.
        "cone-ncp": lambda name: (
            stiction.solve_ncp(M, q, 0.4, name, tol=1e-4, law="associated")
            if name == "interior-point"
            else stiction.solve_ncp(M, q, 0.4, name, tol=1e-6)
        ),
    }
    counted = 0
    for entry in stiction.solvers():
        for problem, solve in cases.items():
            if problem in entry["classes"]:
                res = solve(entry["name"])
                counted += 1
                assert res.success, (entry["name"], problem, res)
    assert counted > 20


def random_contacts(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Contacts of bodies of unit mass at a random velocity v: W = J J^T of full or deficient rank, q = J v."""
    n = int(rng.integers(1, 9))
    J = rng.normal(size=(3 * n, 6 * int(rng.integers(1, 5))))
    return J @ J.T, J @ rng.normal(size=J.shape[1]), rng.uniform(0.1, 1.0, size=n)


def test_lcps_are_solved_no_worse_than_by_quantecons_lemke() -> None:
    quantecon = pytest.importorskip("quantecon", reason="SKIPPED: quantecon is not installed")
    rng = np.random.default_rng(11)
    for _ in range(200):
        n = int(rng.integers(2, 20))
        A = rng.normal(size=(n, n))
        M, q = A @ A.T + 0.1 * np.eye(n), rng.normal(size=n)
        ours = stiction.solve_lcp(M, q, method="lemke")
        theirs = quantecon.optimize.lcp_lemke(M, q)

        def natural(z: np.ndarray) -> float:
            return float(np.abs(np.minimum(z, M @ z + q)).max())

        assert ours.success
        # Both are at rounding; ours is never worse beyond it.
        assert natural(ours.z) <= max(natural(theirs.z), 1e-12)
        if theirs.success:
            assert ours.z == pytest.approx(theirs.z, abs=1e-7)


def test_contacts_are_solved_no_worse_than_by_pinocchios_admm() -> None:
    pinocchio = pytest.importorskip("pinocchio", reason="SKIPPED: pinocchio is not installed")
    if not hasattr(pinocchio, "ADMMConstraintSolver"):
        pytest.skip("SKIPPED: this pinocchio has no ADMMConstraintSolver")
    rng = np.random.default_rng(12)
    converged, worst, worst_theirs = 0, 0.0, 0.0
    for _ in range(200):
        W, q, mu = random_contacts(rng)
        ours = stiction.solve_ncp(W, q, mu, tol=1e-12)
        assert ours.success, ours
        theirs, good = pinocchio_admm(pinocchio, W, q, mu)
        residual = stiction.residual_ncp(W, q, mu, theirs)
        converged += good
        worst, worst_theirs = max(worst, ours.residual), max(worst_theirs, residual)
        assert ours.residual <= max(residual, 1e-12)
    # The comparison is one: on most problems their answer is an answer.
    assert converged > 100
    print(f"worst residual of 200: ours {worst:.1e}, ADMM {worst_theirs:.1e} ({converged} converged)")


def pinocchio_admm(pinocchio: Any, W: np.ndarray, q: np.ndarray, mu: np.ndarray) -> tuple[np.ndarray, bool]:
    """Impulses by Pinocchio's ADMM, whose contact frames have the normal last, and whether it converged."""
    count = len(mu)
    order = np.concatenate([[3 * i + 1, 3 * i + 2, 3 * i] for i in range(count)])
    model = pinocchio.Model()
    model.addJoint(0, pinocchio.JointModelFreeFlyer(), pinocchio.SE3.Identity(), "body")
    models, datas = pinocchio.StdVec_ConstraintModel(), pinocchio.StdVec_ConstraintData()
    for friction in mu:
        contact = pinocchio.PointContactConstraintModel(model, 1, pinocchio.SE3.Identity())
        contact.setFriction(float(friction))
        contact.setCompliance(np.zeros(3))
        constraint = pinocchio.ConstraintModel(contact)
        models.append(constraint)
        datas.append(constraint.createData())
    settings = pinocchio.ADMMSolverSettings()
    settings.max_iterations = 2000
    settings.solve_ncp = True
    for name in ("complementarity", "feasibility"):
        setattr(settings, f"absolute_{name}_tol", 1e-12)
        setattr(settings, f"relative_{name}_tol", 1e-12)
    result = pinocchio.ADMMSolverResult()
    operator = pinocchio.DelassusOperatorDense(W[np.ix_(order, order)])
    pinocchio.ADMMConstraintSolver(3 * count).solve(operator, q[order], models, datas, settings, result)
    impulses = np.zeros(3 * count)
    impulses[order] = result.retrieveConstraintImpulses()
    return impulses, bool(result.converged)


def test_a_callback_hears_of_the_iterations_ends_a_solve_and_what_it_raises_is_raised_at_once() -> None:
    rng = np.random.default_rng(5)
    A = rng.normal(size=(40, 40))
    M, q = A @ A.T, rng.normal(size=40)
    seen: list[stiction.SolveProgress] = []
    res = stiction.solve_lcp(M, q, "pgs", callback=seen.append, max_iterations=50)
    # The sweeps are judged once in sixteen.
    assert res.status == "MaxIterations" and res.nit <= 50 and len(seen) >= 50 // 16
    assert seen[-1].method == "pgs" and seen[0].z is not None and seen[0].z.shape == (40,)
    assert min(p.residual for p in seen) == pytest.approx(res.residual)
    res = stiction.solve_lcp(M, q, "pgs", callback=lambda p: p.iteration >= 3)
    assert res.status == "Interrupted" and res.nit <= 17 and "callback" in res.message and not res.success
    calls = []

    def raises(progress: stiction.SolveProgress) -> None:
        calls.append(progress)
        raise LookupError("in the user's callback")

    for method in ("pgs", "fb-plm", "robust", "dantzig"):
        calls.clear()
        with pytest.raises(LookupError, match="in the user's callback"):
            stiction.solve_lcp(M, q, method, callback=raises)
        assert len(calls) == 1, method
    methods = []
    res = stiction.solve_lcp([[0.0]], [-1.0], callback=lambda p: methods.append(p.method))
    assert [t["method"] for t in res.tried] == list(dict.fromkeys(methods)) and len(res.tried) > 2
    assert all(t["seconds"] >= 0 for t in res.tried) and sum(t["seconds"] for t in res.tried) <= res.seconds


def test_a_function_that_raises_is_not_called_again() -> None:
    for method in ("robust", "path", "fb-plm", "fb-rlm"):
        for broken in ("fun", "jac"):
            calls = {"fun": 0, "jac": 0}

            def call(name: str, value: Any, broken: str = broken, calls: dict[str, int] = calls) -> Any:
                calls[name] += 1
                if name == broken and calls[name] == 3:
                    raise ZeroDivisionError(name)
                assert calls[broken] < 4 or name != broken
                return value

            with pytest.raises(ZeroDivisionError, match=broken):
                stiction.solve_mcp(
                    lambda z: call("fun", [np.sin(z[0]) - 0.5 + z[1] ** 3, z[1] ** 3 - np.exp(z[0])]),
                    [3.0, 3.0],
                    lambda z: call("jac", [[np.cos(z[0]), 3 * z[1] ** 2], [-np.exp(z[0]), 3 * z[1] ** 2]]),
                    method=method,
                    tol=1e-300,
                )
            assert calls[broken] == 3, (method, calls)


def test_limits_hold_within_a_call_of_every_function() -> None:
    rng = np.random.default_rng(9)
    M, q = rng.normal(size=(60, 60)), rng.normal(size=60)
    W = (lambda A: A @ A.T)(rng.normal(size=(60, 6)))
    solves = {
        "lcp": lambda **how: stiction.solve_lcp(M, q, **how),
        "box": lambda **how: stiction.solve_box_lcp(M, q, -1, 1, **how),
        "mixed": lambda **how: stiction.solve_mlcp(M, q, [True] * 20 + [False] * 40, **how),
        "factored": lambda **how: stiction.solve_lcp(stiction.Factored(M[:, :5]), q, **how),
        "ncp": lambda **how: stiction.solve_ncp(W, q, 0.5, **how),
        "cones": lambda **how: stiction.solve_cones(W, q, [0.5] * 20, **how),
        "mcp": lambda **how: stiction.solve_mcp(lambda z: M @ z + q, np.ones(60), lambda z: M, **how),
    }
    for name, solve in solves.items():
        res = solve(time_limit=0.0, tol=1e-300)
        assert res.status in ("TimeLimit", "Solved"), (name, res)
        res = solve(max_iterations=1, tol=1e-300)
        assert res.status != "TimeLimit" and res.nit <= 60, (name, res)
        with pytest.raises(stiction.StictionError, match="max_iterations -1"):
            solve(max_iterations=-1)
        with pytest.raises(stiction.StictionError, match="time_limit"):
            solve(time_limit=-1.0)
        assert solve(callback=lambda p: True, tol=1e-300).status in ("Interrupted", "Solved"), name


def test_ctrl_c_ends_every_solve_at_once() -> None:
    # What a shell starts in the background ignores it.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        late = interrupt_solves()
    finally:
        signal.signal(signal.SIGINT, before)
    assert len(late) >= 6 and max(seconds for _, seconds in late) < 0.5, late


def interrupt_solves() -> list[tuple[int, float]]:
    """Which solves were under way 0.2 s after their beginning, and how late they heard a signal then (s)."""
    n = 600
    rng = np.random.default_rng(2)
    M, q = rng.normal(size=(n, n)), rng.normal(size=n)
    W = (lambda A: A @ A.T)(rng.normal(size=(n, 30)))
    solves: list[Any] = [lambda m=m: stiction.solve_lcp(M, q, m, tol=1e-300) for m in ("robust", "lemke", "path", "fb-plm")]
    solves += [lambda m=m: stiction.solve_lcp(W, q, m, tol=1e-300) for m in ("pgs max_iterations=1000000000", "dantzig")]
    solves += [lambda m=m: stiction.solve_ncp(W, q, 0.5, m, tol=1e-300) for m in ("robust", "nsgs max_iterations=1000000000")]
    solves += [lambda: stiction.solve_mcp(lambda z: M @ z + q + z**3, np.ones(n), method="fb-rlm", tol=1e-300)]
    late = []
    for k, solve in enumerate(solves):
        sent = []

        def send() -> None:
            sent.append(time.perf_counter())
            signal.raise_signal(signal.SIGINT)

        timer = threading.Timer(0.2, send)
        timer.start()
        ended = False
        try:
            solve()
            ended = True
            timer.join()
            time.sleep(0.05)
        except KeyboardInterrupt:
            if not ended:
                late.append((k, time.perf_counter() - sent[0]))
        timer.join()
    return late


def test_a_basis_and_a_solved_part_are_starts() -> None:
    def column(n: int) -> tuple[np.ndarray, np.ndarray]:
        M = 2 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)
        M[0, 0] = 1
        return M, -np.eye(n)[0]

    whole = stiction.solve_lcp(*column(50), method="dantzig")
    part = stiction.solve_lcp(*column(48), method="dantzig")
    assert whole.success and whole.pivots == 50 and whole.basis.all() and whole.basis.dtype == bool
    for start in ({"basis": part.basis}, {"basis": range(48)}, {"z0": part.z, "solved": 48}):
        res = stiction.solve_lcp(*column(50), method="dantzig", **start)
        assert res.success and res.pivots <= 4 and res.z == pytest.approx(whole.z), (start, res)
    M, q = column(50)
    J = np.linalg.cholesky(M)
    for method in ("ppm", "active-set-qp"):
        cold = stiction.solve_lcp(stiction.Factored(J), q, method)
        warm = stiction.solve_lcp(stiction.Factored(J), q, method, basis=whole.basis)
        assert cold.success and warm.success and warm.nit <= 2 < cold.nit, (method, warm)
    for wrong in ({"basis": [50]}, {"basis": [-1]}, {"basis": [0.5]}, {"solved": 3}, {"z0": [1.0], "solved": 2}):
        with pytest.raises(stiction.StictionError, match="basis|solved"):
            stiction.solve_lcp(M, q, **wrong)


def test_the_proof_of_infeasibility_holds_on_the_original_data() -> None:
    rng = np.random.default_rng(4)
    found = 0
    for _ in range(30):
        J = rng.normal(size=(9, 3)) * 10.0 ** rng.integers(-3, 4)
        q = rng.normal(size=9) * 10.0 ** rng.integers(-3, 4)
        for M, method in ((J @ J.T, "robust"), (stiction.Factored(J), "ppm"), (stiction.Factored(J), "robust")):
            res = stiction.solve_lcp(M, q, method)
            assert (res.status == "Infeasible") == (res.certificate is not None), (method, res)
            if res.certificate is not None:
                y = res.certificate
                columns = M.T @ y if isinstance(M, np.ndarray) else M @ y
                size = np.abs(J @ J.T) @ y
                assert (y >= 0).all() and (columns <= 1e-9 * size).all() and q @ y < 0
                found += 1
    assert found > 20


def test_factored_matrices_and_laws_of_each_block_have_the_answers_of_their_dense_forms() -> None:
    rng = np.random.default_rng(8)
    J, mass = rng.normal(size=(12, 5)), rng.uniform(0.5, 2, size=5)
    L = rng.normal(size=(5, 5))
    q = rng.normal(size=12)
    for Minv, dense in ((None, np.eye(5)), (mass, np.diag(mass)), (L @ L.T, L @ L.T)):
        factored = stiction.Factored(J, Minv, D=0.1)
        M = J @ dense @ J.T + 0.1 * np.eye(12)
        assert factored @ q == pytest.approx(M @ q)
        res = stiction.solve_lcp(factored, q)
        assert res.success and res.z == pytest.approx(stiction.solve_lcp(M, q).z, abs=1e-9)
    for wrong in ({"Minv": -mass}, {"Minv": np.ones((5, 5)) - 2 * np.eye(5)}, {"Minv": np.ones(4)}, {"D": -1.0}):
        with pytest.raises(stiction.StictionError, match="Minv|D:"):
            stiction.Factored(J, **wrong)
    # Every law alone, on a unit matrix, where the answer is known.
    eye, inf = np.eye(3), np.inf
    for laws, load, answer in (
        ([0.3], [-10, -3, -4], [10, 1.8, 2.4]),
        ([("coulomb", 0.5, 2), ("free",)], [-1, 0.1, 3], [1, -0.1, -3]),
        ([("nonnegative", 3)], [-1, 2, -3], [1, 0, 3]),
        ([("nonnegative",), ("interval", -1, 2), ("interval", -inf, inf)], [1, -5, 7], [0, 2, -7]),
        ([("no-slip",)], [-1, 5, 0], [1, -5, 0]),
        ([inf], [-1, 5, 0], [1, -5, 0]),
    ):
        res = stiction.solve_cones(eye, load, laws)
        assert res.success and res.z == pytest.approx(answer, abs=1e-9), (laws, res.z)
        assert stiction.residual_cones(eye, load, laws, res.z) == res.residual
    soft = stiction.solve_cones(eye, [-1, 0, 0], [0.3], compliance=[1.0, 0, 0])
    assert soft.z == pytest.approx([0.5, 0, 0])
    for laws in ([("coulomb",)], ["sticky"], [("interval", 1)], [np.nan], [("coulomb", 0.3, "x")]):
        with pytest.raises(stiction.StictionError, match=r"laws\[0\]"):
            stiction.solve_cones(eye, [0, 0, 0], laws)


def test_equilibria_with_least_prices_are_found_from_them_without_a_jacobian() -> None:
    c, beta = np.array([10.0, 8, 6, 4, 2]), np.array([1.2, 1.1, 1.0, 0.9, 0.8])

    def firms(q: np.ndarray) -> np.ndarray:
        total = q.sum()
        price = (5000 / total) ** (1 / 1.1)
        return c + (q / 5) ** (1 / beta) - price + q * price / total / 1.1

    def walras(z: np.ndarray) -> np.ndarray:
        y, p1, p2, p3 = z
        income = 5 * p2 + 3 * p3
        return np.array([p2 + p3 - p1, y - 0.9 * income / p1, 5 - y - 0.1 * income / p2, 3 - y])

    for least in (1e-6, 1e-8):
        for start in (least, 1.0, 10.0):
            res = stiction.solve_mcp(firms, np.full(5, start), lower=least)
            assert res.success and res.z == pytest.approx([36.93, 41.82, 43.71, 42.66, 39.18], abs=0.02), res.z
            res = stiction.solve_mcp(walras, np.full(4, start), lower=[0, least, least, 0])
            assert res.success and res.nfev > 0 and res.njev == 0
            assert [res.z[0], *(res.z[1:] / res.z[2])] == pytest.approx([3, 6, 1, 5], rel=1e-5)
