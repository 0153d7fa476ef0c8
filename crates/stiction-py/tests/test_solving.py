"""Solvers as functions: right answers, honest failures, clear refusals; agreement with other libraries."""

from __future__ import annotations

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
