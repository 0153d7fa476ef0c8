"""Rollouts: many simulations of one model, on threads or on the machines of a Ray cluster."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Literal, Union

import numpy as np
import numpy.typing as npt

from stiction import _stiction
from stiction._stiction import Model, Rollout, StictionError
from stiction.arrays import floats
from stiction.settings import Settings, SettingsOptions, settings_of

if TYPE_CHECKING:
    from typing_extensions import Unpack


def rollout(
    model: Model,
    qpos0: npt.ArrayLike,
    qvel0: Union[npt.ArrayLike, None] = None,
    ctrl: Union[npt.ArrayLike, None] = None,
    *,
    steps: Union[int, None] = None,
    nthreads: int = 0,
    settings: Union[Settings, None] = None,
    backend: Literal["threads", "ray"] = "threads",
    chunks: Union[int, None] = None,
    **options: Unpack[SettingsOptions],
) -> Rollout:
    """Simulates many environments at once, without the interpreter lock.

    Results are in the order of the environments and bit for bit those of one simulation after the other, whatever
    `nthreads`, `backend` and `chunks`. An environment that fails has its error in `errors` and NaN from there on; the
    others go on.

    Parameters:
        model: the scene.
        qpos0: configurations to start from (batch x nq).
        qvel0: generalized velocities to start from (batch x nv); at rest by default.
        ctrl: controls in every step (batch x steps x nu); by default those of the scene's start.
        steps: number of steps; only needed without `ctrl`.
        nthreads: number of threads, 0 for one a processor; with "ray" of each task.
        settings: how it is simulated; or the fields of `Settings` as keywords.
        backend: "threads", or "ray" to share the work on a Ray cluster (an extra: pip install stiction[ray]).
        chunks: with "ray", how many tasks the batch is cut into; by default one a processor of the cluster.

    Returns:
        `.time`, `.energy`, `.residual`, `.unsolved` (batch x steps), `.qpos` (batch x steps x nq), `.qvel` (batch x
        steps x nv), `.errors` (batch).

    Raises:
        StictionError: arrays of another shape, settings out of range.
    """
    chosen = settings_of(settings, options).to_json()
    start = np.atleast_2d(floats(qpos0))
    velocity = np.zeros((len(start), model.nv)) if qvel0 is None else np.atleast_2d(floats(qvel0))
    controls = None if ctrl is None else floats(ctrl)
    if controls is not None:
        if controls.ndim != 3:
            raise StictionError(f"ctrl has {controls.ndim} dimensions; it needs three: batch x steps x nu")
        if steps is not None and steps != controls.shape[1]:
            raise StictionError(f"steps is {steps}, but ctrl is for {controls.shape[1]} steps")
        steps = controls.shape[1]
    if steps is None:
        raise StictionError("the number of steps is missing: give steps, or ctrl (batch x steps x nu)")
    if backend == "ray":
        return _on_ray(model, chosen, steps, start, velocity, controls, nthreads, chunks)
    if backend != "threads":
        raise StictionError(f"backend {backend!r} is unknown; there are: threads, ray")
    return _stiction.rollout(model, chosen, steps, start, velocity, controls, nthreads)


def _on_ray(
    model: Model,
    settings: str,
    steps: int,
    qpos: npt.NDArray[np.float64],
    qvel: npt.NDArray[np.float64],
    ctrl: Union[npt.NDArray[np.float64], None],
    nthreads: int,
    chunks: Union[int, None],
) -> Rollout:
    """The same in tasks on a Ray cluster, put together in order."""
    try:
        ray: Any = importlib.import_module("ray")
    except ImportError as error:
        raise StictionError("backend 'ray' needs the Ray library: pip install stiction[ray]") from error
    if not ray.is_initialized():
        ray.init(include_dashboard=False, log_to_driver=False)
    count = chunks or max(1, int(ray.cluster_resources().get("CPU", 1)))
    task = ray.remote(_rollout_here)
    shared = ray.put(model)
    parts = [part for part in np.array_split(np.arange(len(qpos)), count) if len(part)]
    pending = [
        task.remote(
            shared, settings, steps, qpos[part], qvel[part], None if ctrl is None else ctrl[part], nthreads or 1
        )
        for part in parts
    ]
    return _joined(ray.get(pending))


def _rollout_here(*arguments: Any) -> Rollout:
    """The task of a cluster; the library takes Python's functions only."""
    return _stiction.rollout(*arguments)


def _joined(parts: list[Rollout]) -> Rollout:
    """Rollouts of consecutive environments as one."""

    def stack(name: str) -> Any:
        return np.concatenate([getattr(part, name) for part in parts])

    errors = [error for part in parts for error in part.errors]
    return Rollout(
        stack("time"), stack("qpos"), stack("qvel"), stack("energy"), stack("residual"), stack("unsolved"), errors
    )
