"""Rollouts: bit for bit what one simulation after the other gives, on threads and on a cluster."""

from __future__ import annotations

import os
import pathlib
import pickle
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import stiction


def starts(model: stiction.Model, batch: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    qpos = np.tile(stiction.Simulation(model).qpos, (batch, 1))
    qpos[:, 2] += rng.uniform(0, 0.3, batch)
    return qpos, rng.normal(size=(batch, model.nv)) * 0.1


def test_threads_change_no_bit(humanoid: stiction.Model) -> None:
    qpos, qvel = starts(humanoid, 12)
    ctrl = np.random.default_rng(6).uniform(-1, 1, (12, 150, humanoid.nu))
    one = stiction.rollout(humanoid, qpos, qvel, ctrl, nthreads=1)
    two = stiction.rollout(humanoid, qpos, qvel, ctrl, nthreads=2)
    for name in ("time", "qpos", "qvel", "energy", "residual", "unsolved"):
        assert np.array_equal(getattr(one, name), getattr(two, name)), name
    assert one.qpos.shape == (12, 150, humanoid.nq) and one.errors == [None] * 12
    # The same by hand.
    for i in (0, 11):
        sim = stiction.Simulation(humanoid)
        sim.qpos, sim.qvel = qpos[i], qvel[i]
        for step in range(150):
            sim.ctrl = ctrl[i, step]
            report = sim.step()
            assert np.array_equal(sim.qpos, one.qpos[i, step]) and report.energy == one.energy[i, step]
    copy = pickle.loads(pickle.dumps(one))
    assert np.array_equal(copy.qpos, one.qpos) and copy.errors == one.errors


def test_one_poisoned_environment_returns_its_error_and_the_rest_succeed(humanoid: stiction.Model) -> None:
    qpos, qvel = starts(humanoid, 6)
    good = stiction.rollout(humanoid, qpos, qvel, steps=20)
    qvel[4, 3] = np.inf
    out = stiction.rollout(humanoid, qpos, qvel, steps=20)
    assert out.errors[4] is not None and "inf" in out.errors[4] and np.isnan(out.qpos[4]).all()
    rest = [0, 1, 2, 3, 5]
    assert [out.errors[i] for i in rest] == [None] * 5 and np.array_equal(out.qpos[rest], good.qpos[rest])


def test_shapes_are_refused_with_what_they_should_be(humanoid: stiction.Model) -> None:
    qpos, qvel = starts(humanoid, 2)
    with pytest.raises(stiction.StictionError, match=r"qvel has the shape \(1, 31\), \(2, 31\) is needed"):
        stiction.rollout(humanoid, qpos, qvel[:1], steps=5)
    with pytest.raises(stiction.StictionError, match=r"ctrl has the shape \[2, 5, 3\], \[2, 5, 25\] is needed"):
        stiction.rollout(humanoid, qpos, ctrl=np.zeros((2, 5, 3)))
    with pytest.raises(stiction.StictionError, match="the number of steps is missing"):
        stiction.rollout(humanoid, qpos)
    with pytest.raises(stiction.StictionError, match="steps is 4, but ctrl is for 5 steps"):
        stiction.rollout(humanoid, qpos, ctrl=np.zeros((2, 5, 25)), steps=4)
    with pytest.raises(stiction.StictionError, match="backend 'rays' is unknown"):
        stiction.rollout(humanoid, qpos, steps=1, backend="rays")  # type: ignore[arg-type]


@pytest.mark.parametrize("steps", [10**9, 2**62, 2**64 - 1])
def test_a_rollout_that_no_memory_holds_is_refused(humanoid: stiction.Model, steps: int) -> None:
    qpos = np.tile(stiction.Simulation(humanoid).qpos, (2, 1))
    with pytest.raises(stiction.StictionError, match="roll out fewer steps at a time"):
        stiction.rollout(humanoid, qpos, steps=steps)


def test_another_python_thread_counts_on_while_a_rollout_runs(humanoid: stiction.Model) -> None:
    qpos, qvel = starts(humanoid, 8)
    counted = [0]
    done = threading.Event()

    def count() -> None:
        while not done.is_set():
            counted[0] += 1

    thread = threading.Thread(target=count)
    thread.start()
    while counted[0] == 0:
        pass
    before = counted[0]
    stiction.rollout(humanoid, qpos, qvel, steps=300, nthreads=1)
    during = counted[0] - before
    done.set()
    thread.join()
    # With the interpreter lock held for the whole call it would be a handful.
    assert during > 1000, during


def test_a_cluster_changes_no_bit(humanoid: stiction.Model) -> None:
    ray = pytest.importorskip("ray", reason="SKIPPED: ray is not installed")
    qpos, qvel = starts(humanoid, 7)
    qpos[2, 0] = np.nan
    here = stiction.rollout(humanoid, qpos, qvel, steps=50)
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        there = stiction.rollout(humanoid, qpos, qvel, steps=50, backend="ray", chunks=3)
    finally:
        ray.shutdown()
    for name in ("time", "qpos", "qvel", "energy", "residual", "unsolved"):
        assert np.array_equal(getattr(here, name), getattr(there, name), equal_nan=True), name
    assert here.errors == there.errors and here.errors[2] is not None


def test_ctrl_c_ends_a_rollout_within_a_second(tmp_path: pathlib.Path) -> None:
    script = tmp_path / "long.py"
    script.write_text(
        "import signal, stiction, numpy as np, sys\n"
        # What a shell starts in the background ignores Ctrl-C.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "model = stiction.Model.from_string('<mujoco><worldbody><geom type=\"plane\" size=\"1 1 1\"/><body pos=\"0 0 1\">"
        "<freejoint/><geom type=\"box\" size=\".1 .1 .1\"/></body></worldbody></mujoco>')\n"
        "qpos, qvel = np.tile(stiction.Simulation(model).qpos, (4, 1)), np.zeros((4, 6))\n"
        "print('ready', flush=True)\n"
        "try:\n"
        "    stiction.rollout(model, qpos, qvel, steps=300_000, nthreads=2)\n"
        "except KeyboardInterrupt:\n"
        "    sys.exit(7)\n"
    )
    with subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stdout.readline() == b"ready\n"
        time.sleep(0.5)
        assert process.poll() is None, "the rollout was over before the signal"
        process.send_signal(signal.SIGINT)
        begin = time.monotonic()
        assert process.wait(60) == 7
        # Steps take microseconds and the signal is looked for twenty times a second; the rest is room for a busy machine.
        assert time.monotonic() - begin < 20


def test_more_threads_than_environments_are_not_started(humanoid: stiction.Model) -> None:
    qpos, qvel = starts(humanoid, 3)
    begin = threading.active_count()
    many = stiction.rollout(humanoid, qpos, qvel, steps=2, nthreads=10**6)
    assert many.errors == [None] * 3 and threading.active_count() == begin


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_batch_works_in_a_process_that_was_forked_after_it_was_made(humanoid: stiction.Model) -> None:
    batch = stiction._stiction.Batch(humanoid, stiction.Settings().to_json(), 4, 2)
    ctrl = np.zeros((4, humanoid.nu))
    batch.step(ctrl, 3)
    child = os.fork()
    if child == 0:
        signal.alarm(60)  # a child that hangs is ended
        batch.step(ctrl, 3)
        os._exit(0 if np.all(batch.time == batch.time[0]) and batch.time[0] > 0 else 1)
    assert os.waitpid(child, 0)[1] == 0
    batch.step(ctrl, 3)
