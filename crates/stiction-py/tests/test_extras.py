"""Gymnasium environments, plots and Rerun files."""

from __future__ import annotations

import pathlib
import warnings

import numpy as np
import pytest

import stiction


def test_the_registered_environments_pass_gymnasiums_own_check() -> None:
    gymnasium = pytest.importorskip("gymnasium", reason="SKIPPED: gymnasium is not installed")
    from gymnasium.utils.env_checker import check_env

    import stiction.gym

    for name in ("stiction/PendulumSwingUp-v0", "stiction/HumanoidStand-v0"):
        with warnings.catch_warnings():
            # Observations without bounds are as they should be.
            warnings.filterwarnings("ignore", message=".*observation space (minimum|maximum) value is.*")
            check_env(gymnasium.make(name).unwrapped, skip_render_check=True)


def test_many_environments_move_as_each_alone_does() -> None:
    gymnasium = pytest.importorskip("gymnasium", reason="SKIPPED: gymnasium is not installed")
    import stiction.gym

    for name, steps in (("stiction/PendulumSwingUp-v0", 520), ("stiction/HumanoidStand-v0", 150)):
        many = gymnasium.make_vec(name, num_envs=3)
        observations, _ = many.reset(seed=4)
        singles = [gymnasium.make(name) for _ in range(3)]
        for i, env in enumerate(singles):
            assert np.array_equal(env.reset(seed=4 + i)[0], observations[i])
        many.action_space.seed(1)
        ended = [False] * 3
        for _ in range(steps):
            actions = many.action_space.sample()
            observations, rewards, terminated, truncated, info = many.step(actions)
            for i, env in enumerate(singles):
                if ended[i]:
                    # The vector environment starts the next episode in the step after the end.
                    observation, _ = env.reset()
                    assert np.array_equal(observation, observations[i]) and rewards[i] == 0.0
                    ended[i] = False
                    continue
                observation, reward, one, two, _ = env.step(actions[i])
                assert np.array_equal(observation, observations[i]) and reward == rewards[i]
                assert (one, two) == (terminated[i], truncated[i])
                ended[i] = one or two
        assert (info["unsolved"] == 0).all()


def test_a_humanoid_without_control_falls_and_the_episode_ends() -> None:
    pytest.importorskip("gymnasium", reason="SKIPPED: gymnasium is not installed")
    import stiction.gym

    env = stiction.gym.humanoid_stand()
    observation, info = env.reset(seed=0)
    assert observation[0] == pytest.approx(0.95)
    heights = [observation[0]]
    terminated = False
    while not terminated and len(heights) < 1000:
        observation, reward, terminated, _, info = env.step(np.zeros(25))
        heights.append(observation[0])
        assert info["unsolved"] == 0
    assert terminated and heights[-1] < 0.6 and 10 < len(heights) < 500


def test_a_failed_step_ends_the_episode_with_its_reason() -> None:
    pytest.importorskip("gymnasium", reason="SKIPPED: gymnasium is not installed")
    import stiction.gym

    env = stiction.gym.pendulum_swing_up()
    env.reset(seed=0)
    _, _, terminated, _, info = env.step(np.array([np.nan]))
    assert terminated and "hinge" in info["error"]
    with pytest.raises(stiction.StictionError, match="frame_skip is 0"):
        stiction.gym.SceneEnv(stiction.Model.builtin("swing_up"), frame_skip=0)


def test_plots_show_the_numbers_of_the_reports() -> None:
    matplotlib = pytest.importorskip("matplotlib", reason="SKIPPED: matplotlib is not installed")
    matplotlib.use("Agg")
    import stiction.plot

    sim = stiction.Simulation(stiction.Model.builtin("box_stack"))
    reports = [sim.step() for _ in range(50)]
    lines = stiction.plot.energy(reports).get_lines()
    assert lines[0].get_ydata() == pytest.approx([r.energy for r in reports])
    body = sim.model.body_names[1]
    net = stiction.plot.forces(reports, sim.model, body).get_lines()[2].get_ydata()
    # What a box at rest is given is its weight.
    assert net[-1] == pytest.approx(9.81 * sim.body(body).mass, abs=1e-6)
    assert stiction.plot.residual(reports).get_yscale() == "log"
    with pytest.raises(stiction.StictionError, match="there is no body 'x'"):
        stiction.plot.forces(reports, sim.model, "x")


def test_a_recording_becomes_a_rerun_file(tmp_path: pathlib.Path) -> None:
    pytest.importorskip("rerun", reason="SKIPPED: rerun is not installed")
    import stiction.rerun

    sim = stiction.Simulation(stiction.Model.builtin("humanoid"), record=True)
    for _ in range(20):
        sim.step()
    stiction.rerun.to_rerun(sim, tmp_path / "run.rrd")
    assert (tmp_path / "run.rrd").stat().st_size > 10_000
    with pytest.raises(stiction.StictionError, match="record=True"):
        stiction.rerun.to_rerun(stiction.Simulation(sim.model))
