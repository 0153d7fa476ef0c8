"""Dynamics functions against each other and against what they must be."""

from __future__ import annotations

import numpy as np
import pytest

import stiction


def state(model: stiction.Model, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """A random configuration near the reference, and a velocity."""
    rng = np.random.default_rng(seed)
    q0 = stiction.Simulation(model).qpos
    return stiction.integrate(model, q0, rng.normal(size=model.nv), 0.3), rng.normal(size=model.nv)


def test_forward_dynamics_undoes_inverse_dynamics(humanoid: stiction.Model) -> None:
    q, v = state(humanoid, 1)
    a = np.random.default_rng(2).normal(size=humanoid.nv)
    tau = stiction.inverse_dynamics(humanoid, q, v, a)
    assert stiction.forward_dynamics(humanoid, q, v, tau) == pytest.approx(a, abs=1e-9)
    M, c = stiction.mass_matrix(humanoid, q), stiction.bias_forces(humanoid, q, v)
    assert M @ a + c == pytest.approx(tau, abs=1e-9)
    assert np.array_equal(M, M.T) and np.linalg.eigvalsh(M)[0] > 0


def test_the_jacobian_is_the_derivative_of_the_pose(humanoid: stiction.Model) -> None:
    q, v = state(humanoid, 3)
    h = 1e-6
    J = stiction.jacobian(humanoid, q, "head")
    index = humanoid.body_names.index("head")
    ahead, behind = (stiction.forward_kinematics(humanoid, stiction.integrate(humanoid, q, v, s)) for s in (h, -h))
    assert (J @ v)[3:] == pytest.approx((ahead[0][index] - behind[0][index]) / (2 * h), abs=1e-7)
    # The same point as part of another body's Jacobian has the same angular rows as that body.
    there = stiction.jacobian(humanoid, q, "head", ahead[0][index] + [0.1, 0, 0])
    assert np.array_equal(there[:3], J[:3]) and not np.allclose(there[3:], J[3:])


def test_the_delassus_operator_is_j_m_inverse_j_transposed(humanoid: stiction.Model) -> None:
    q, _ = state(humanoid, 4)
    J = np.vstack([stiction.jacobian(humanoid, q, name) for name in ("head", "left_hand" if "left_hand" in humanoid.body_names else "torso")])
    expected = J @ np.linalg.solve(stiction.mass_matrix(humanoid, q), J.T)
    assert stiction.delassus(humanoid, q, J) == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_difference_undoes_integrate(humanoid: stiction.Model) -> None:
    q, v = state(humanoid, 5)
    assert stiction.difference(humanoid, q, stiction.integrate(humanoid, q, v, 0.1)) == pytest.approx(0.1 * v, abs=1e-9)


def test_arrays_of_the_wrong_shape_are_refused_by_name(humanoid: stiction.Model) -> None:
    q, v = state(humanoid, 6)
    with pytest.raises(stiction.StictionError, match="qpos has 3 numbers, 32 are needed"):
        stiction.mass_matrix(humanoid, [1, 2, 3])
    with pytest.raises(stiction.StictionError, match="there is no body \"hed\""):
        stiction.jacobian(humanoid, q, "hed")
    # Lists, single precision and strided arrays are fine.
    single = np.repeat(q.astype(np.float32), 2)[::2]
    assert stiction.mass_matrix(humanoid, single) == pytest.approx(stiction.mass_matrix(humanoid, list(map(float, single))))
