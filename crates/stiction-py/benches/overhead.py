"""What Python costs, as ratios and differences measured in one run.

    python crates/stiction-py/benches/overhead.py

1. `sim.step()` in a Python loop against the same steps in Rust, per step.
2. A rollout of 256 humanoids x 200 steps on one thread against two, and whether the bits agree.
"""

from __future__ import annotations

import gc
import time

import numpy as np

import stiction


def per_step(function: object, steps: int) -> float:
    """Microseconds a step, the best of nine."""
    best = float("inf")
    for _ in range(9):
        start = time.perf_counter()
        function()  # type: ignore[operator]
        best = min(best, time.perf_counter() - start)
    return 1e6 * best / steps


def step_overhead(name: str) -> None:
    """The same steps by `rollout`, which loops in Rust, and by `step`, which loops in Python."""
    model = stiction.Model.builtin(name)
    start = stiction.Simulation(model)
    qpos, qvel = start.qpos[None].copy(), start.qvel[None].copy()
    steps = 2000
    rust = per_step(lambda: stiction.rollout(model, qpos, qvel, steps=steps, nthreads=1), steps)
    sim = stiction.Simulation(model)

    def loop() -> None:
        sim.reset()
        for _ in range(steps):
            sim.step()

    gc.disable()
    python = per_step(loop, steps)
    gc.enable()
    print(f"{name:10} rust {rust:7.2f} us/step, python {python:7.2f} us/step, overhead {python - rust:5.2f} us")


def rollout_speedup() -> None:
    """256 humanoids on one and two threads."""
    model = stiction.Model.builtin("humanoid")
    rng = np.random.default_rng(0)
    qpos = np.tile(stiction.Simulation(model).qpos, (256, 1))
    qpos[:, 2] += rng.uniform(0, 0.2, 256)
    ctrl = rng.uniform(-1, 1, (256, 200, model.nu))
    times, results = [], []
    for threads in (1, 2):
        start = time.perf_counter()
        results.append(stiction.rollout(model, qpos, ctrl=ctrl, nthreads=threads))
        times.append(time.perf_counter() - start)
    same = np.array_equal(results[0].qpos, results[1].qpos)
    rate = 256 * 200 / times[1]
    print(
        f"rollout of 256 x 200: one thread {times[0]:.2f} s, two {times[1]:.2f} s, speed-up {times[0] / times[1]:.2f}, "
        f"{rate:.0f} steps/s, same bits: {same}"
    )


if __name__ == "__main__":
    for scene in ("pendulum", "grasp", "humanoid"):
        step_overhead(scene)
    rollout_speedup()
