"""Gymnasium environments over any scene (an extra: pip install stiction[gym]).

A `Task` says what is observed, rewarded and ended, as functions of arrays, so that it serves one environment and a batch
alike. `SceneEnv` is one environment, `SceneVectorEnv` many on the batched core, which move bit for bit as if each were
alone. Registered on import: `stiction/PendulumSwingUp-v0`, `stiction/HumanoidStand-v0`.

    import gymnasium, stiction.gym
    env = gymnasium.make("stiction/PendulumSwingUp-v0")
    many = gymnasium.make_vec("stiction/PendulumSwingUp-v0", num_envs=8)
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, SupportsFloat, Union, cast

import numpy as np
import numpy.typing as npt

try:
    import gymnasium
    from gymnasium import spaces
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
except ImportError as error:
    raise ImportError("stiction.gym needs Gymnasium: pip install stiction[gym]") from error

from stiction import _stiction
from stiction._stiction import Model, StictionError
from stiction.arrays import floats
from stiction.settings import Settings
from stiction.simulation import Simulation

Floats = npt.NDArray[np.float64]
Observation = npt.NDArray[np.float64]
Start = Callable[[np.random.Generator, Floats, Floats], tuple[Floats, Floats]]


def _all_coordinates(qpos: Floats, qvel: Floats) -> Floats:
    return np.concatenate([qpos, qvel], axis=-1)


def _no_reward(qpos: Floats, qvel: Floats, action: Floats) -> Floats:
    return np.zeros(qpos.shape[:-1])


def _never(qpos: Floats, qvel: Floats) -> npt.NDArray[np.bool_]:
    return np.zeros(qpos.shape[:-1], dtype=bool)


def _as_it_is(rng: np.random.Generator, qpos: Floats, qvel: Floats) -> tuple[Floats, Floats]:
    return qpos, qvel


@dataclass(frozen=True)
class Task:
    """What an environment is about. Arrays may have a leading batch axis.

    Parameters:
        observe: observation (... x m) of qpos (... x nq) and qvel (... x nv).
        reward: reward (...) of qpos and qvel after a step and the action (... x nu) that led there.
        terminated: whether the episode has ended (...), of qpos and qvel.
        start: qpos (nq) and qvel (nv) to start from, of a generator and those of the scene's start.
    """

    observe: Callable[[Floats, Floats], Floats] = _all_coordinates
    reward: Callable[[Floats, Floats, Floats], Floats] = _no_reward
    terminated: Callable[[Floats, Floats], npt.NDArray[np.bool_]] = _never
    start: Start = _as_it_is


def _model_of(scene: Union[Model, str, "os.PathLike[str]"]) -> Model:
    return scene if isinstance(scene, Model) else Model.from_file(scene)


def _check_frame_skip(frame_skip: int) -> None:
    if frame_skip < 1:
        raise StictionError(f"frame_skip is {frame_skip}: at least one simulation step is needed")


def _action_space(model: Model) -> spaces.Space[Floats]:
    """Controls within their ranges; unbounded where the scene gives none."""
    ranges = [model._control_range(i) or [-np.inf, np.inf] for i in range(model.nu)]
    bounds = np.array(ranges, dtype=np.float64).reshape(model.nu, 2)
    space: Any = spaces.Box(bounds[:, 0], bounds[:, 1], dtype=np.float64)
    return cast(spaces.Space[Floats], space)


def _observation_space(model: Model, task: Task) -> spaces.Space[Floats]:
    sample = task.observe(np.zeros(model.nq), np.zeros(model.nv))
    space: Any = spaces.Box(-np.inf, np.inf, shape=sample.shape, dtype=np.float64)
    return cast(spaces.Space[Floats], space)


class SceneEnv(gymnasium.Env[Observation, Floats]):
    """One environment over a scene.

    Parameters:
        scene: a model, or the path of a scene file.
        task: what is observed, rewarded and ended.
        key: keyframe to start from; by default the scene's start.
        frame_skip: simulation steps of one environment step.
        settings: how the scene is simulated.
        record: whether steps are recorded, for `env.unwrapped.simulation.save("x.html")`.

    `info` has `time` (s), `unsolved` (islands of the last step that were not solved), `residual` and, when a step failed,
    `error`; the episode then ends.
    """

    metadata: dict[str, Any] = {"render_modes": []}

    def __init__(
        self,
        scene: Union[Model, str, "os.PathLike[str]"],
        task: Task = Task(),
        *,
        key: Union[str, None] = None,
        frame_skip: int = 5,
        settings: Union[Settings, None] = None,
        record: bool = False,
    ) -> None:
        _check_frame_skip(frame_skip)
        model = _model_of(scene)
        self.task = task
        self.key = key
        self.frame_skip = frame_skip
        self.simulation = Simulation(model, settings, record=record)
        self.action_space = _action_space(model)
        self.observation_space = _observation_space(model, task)

    def reset(
        self, *, seed: Union[int, None] = None, options: Union[dict[str, Any], None] = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Starts an episode; the seed decides the start."""
        super().reset(seed=seed)
        sim = self.simulation
        sim.reset(self.key)
        qpos, qvel = self.task.start(self.np_random, sim.qpos.copy(), sim.qvel.copy())
        sim.qpos[...] = qpos
        sim.qvel[...] = qvel
        return self._observe(), {"time": sim.time, "unsolved": 0, "residual": 0.0}

    def step(self, action: Floats) -> tuple[Observation, SupportsFloat, bool, bool, dict[str, Any]]:
        """Takes `frame_skip` simulation steps under the action (nu)."""
        sim = self.simulation
        sim.ctrl[...] = action
        info: dict[str, Any] = {}
        unsolved, residual = 0, 0.0
        try:
            for _ in range(self.frame_skip):
                report = sim.step()
                unsolved, residual = report.unsolved, report.certificate.residual
        except StictionError as error:
            info["error"] = str(error)
        info.update(time=sim.time, unsolved=unsolved, residual=residual)
        reward = float(self.task.reward(sim.qpos, sim.qvel, floats(action)))
        terminated = "error" in info or bool(self.task.terminated(sim.qpos, sim.qvel))
        return self._observe(), reward, terminated, False, info

    def _observe(self) -> Observation:
        return self.task.observe(self.simulation.qpos.copy(), self.simulation.qvel.copy())


class SceneVectorEnv(VectorEnv[Observation, Floats, npt.NDArray[Any]]):
    """Many environments over one scene, advanced together on threads; an ended one starts again in the next step.

    Parameters:
        scene: a model, or the path of a scene file.
        num_envs: number of environments.
        task: what is observed, rewarded and ended.
        key: keyframe to start from; by default the scene's start.
        frame_skip: simulation steps of one environment step.
        max_episode_steps: environment steps after which an episode is truncated; None for never.
        settings: how the scene is simulated.
        nthreads: number of threads, 0 for one a processor.

    `info` has `unsolved` (islands of the last step that were not solved) and `error` (why an episode ended), both by
    environment.
    """

    metadata: dict[str, Any] = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}

    def __init__(
        self,
        scene: Union[Model, str, "os.PathLike[str]"],
        num_envs: int = 1,
        task: Task = Task(),
        *,
        key: Union[str, None] = None,
        frame_skip: int = 5,
        max_episode_steps: Union[int, None] = None,
        settings: Union[Settings, None] = None,
        nthreads: int = 0,
    ) -> None:
        _check_frame_skip(frame_skip)
        model = _model_of(scene)
        self.num_envs = num_envs
        self.task = task
        self.frame_skip = frame_skip
        self.max_episode_steps = max_episode_steps
        self.single_action_space = _action_space(model)
        self.single_observation_space = _observation_space(model, task)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        begin = Simulation(model, settings)
        begin.reset(key)
        self._begin = (begin.qpos.copy(), begin.qvel.copy())
        self._batch = _stiction.Batch(model, (settings or Settings()).to_json(), num_envs, nthreads)
        self._generators = [np.random.default_rng(i) for i in range(num_envs)]
        self._ended = np.zeros(num_envs, dtype=bool)
        self._age = np.zeros(num_envs, dtype=int)

    def reset(
        self,
        *,
        seed: Union[int, list[Union[int, None]], None] = None,
        options: Union[dict[str, Any], None] = None,
    ) -> tuple[Observation, dict[str, Any]]:
        """Starts an episode in every environment; environment i has the seed `seed + i`."""
        if isinstance(seed, int):
            seed = [seed + i for i in range(self.num_envs)]
        for i, one in enumerate(seed or []):
            if one is not None:
                self._generators[i] = gymnasium.utils.seeding.np_random(one)[0]
        for i in range(self.num_envs):
            self._start(i)
        return self._observe(), {}

    def step(
        self, actions: Floats
    ) -> tuple[Observation, npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any], dict[str, Any]]:
        """Takes `frame_skip` simulation steps in every environment under its action (num_envs x nu)."""
        actions = floats(actions)
        begun = self._ended.copy()
        outcome = self._batch.step(actions, self.frame_skip)
        errors = np.array([error for _, error in outcome], dtype=object)
        unsolved = np.array([count for count, _ in outcome])
        failed = np.array([error is not None for error in errors])
        self._age += 1
        qpos, qvel = self._batch.qpos, self._batch.qvel
        reward = np.asarray(self.task.reward(qpos, qvel, actions), dtype=float)
        terminated = np.asarray(self.task.terminated(qpos, qvel), dtype=bool) | failed
        limit = self.max_episode_steps
        truncated = np.zeros(self.num_envs, dtype=bool) if limit is None else self._age >= limit
        for i in np.flatnonzero(begun):
            self._start(int(i))
            errors[i] = None
        reward[begun] = 0.0
        terminated &= ~begun
        truncated &= ~begun
        self._ended = terminated | truncated
        return self._observe(), reward, terminated, truncated, {"unsolved": unsolved, "error": errors}

    def _start(self, index: int) -> None:
        qpos, qvel = self.task.start(self._generators[index], *(part.copy() for part in self._begin))
        self._batch.reset(index, qpos, qvel)
        self._ended[index] = False
        self._age[index] = 0

    def _observe(self) -> Observation:
        return self.task.observe(self._batch.qpos, self._batch.qvel)


def _pendulum_observation(qpos: Floats, qvel: Floats) -> Floats:
    angle = qpos[..., 0]
    return np.stack([np.cos(angle), np.sin(angle), qvel[..., 0]], axis=-1)


def _pendulum_reward(qpos: Floats, qvel: Floats, action: Floats) -> Floats:
    # The angle is zero when hanging; the height of the bob is -cos.
    height = -np.cos(qpos[..., 0])
    cost: Floats = height - 0.01 * qvel[..., 0] ** 2 - 0.01 * action[..., 0] ** 2
    return cost


def _pendulum_start(rng: np.random.Generator, qpos: Floats, qvel: Floats) -> tuple[Floats, Floats]:
    return qpos + rng.uniform(-0.1, 0.1, qpos.shape), qvel + rng.uniform(-0.1, 0.1, qvel.shape)


PENDULUM_SWING_UP = Task(_pendulum_observation, _pendulum_reward, _never, _pendulum_start)
"""Swing a pendulum up and keep it there: observed are cosine, sine and rate (rad/s), rewarded is the bob's height."""


def _humanoid_observation(qpos: Floats, qvel: Floats) -> Floats:
    # Where on the floor it stands does not matter.
    return np.concatenate([qpos[..., 2:], qvel], axis=-1)


def _humanoid_reward(qpos: Floats, qvel: Floats, action: Floats) -> Floats:
    reward: Floats = np.clip(qpos[..., 2], 0.0, 1.0) - 0.01 * (action**2).mean(axis=-1)
    return reward


def _humanoid_fell(qpos: Floats, qvel: Floats) -> npt.NDArray[np.bool_]:
    fell: npt.NDArray[np.bool_] = qpos[..., 2] < 0.6
    return fell


def _humanoid_start(rng: np.random.Generator, qpos: Floats, qvel: Floats) -> tuple[Floats, Floats]:
    # Upright, with straight legs, the feet on the floor.
    standing = np.zeros_like(qpos)
    standing[2:4] = 0.95, 1.0
    return standing, qvel + rng.uniform(-0.05, 0.05, qvel.shape)


HUMANOID_STAND = Task(_humanoid_observation, _humanoid_reward, _humanoid_fell, _humanoid_start)
"""Keep a figure of 31 degrees of freedom on its feet: rewarded is the height of its pelvis (m)."""


def pendulum_swing_up(**options: Any) -> SceneEnv:
    """The environment `stiction/PendulumSwingUp-v0`; options as `SceneEnv`."""
    return SceneEnv(Model.builtin("swing_up"), PENDULUM_SWING_UP, **{"frame_skip": 4, **options})


def humanoid_stand(**options: Any) -> SceneEnv:
    """The environment `stiction/HumanoidStand-v0`; options as `SceneEnv`."""
    return SceneEnv(Model.builtin("humanoid"), HUMANOID_STAND, **options)


def pendulum_swing_up_vector(num_envs: int = 1, **options: Any) -> SceneVectorEnv:
    """Many of `stiction/PendulumSwingUp-v0`; options as `SceneVectorEnv`."""
    settings = {"frame_skip": 4, "max_episode_steps": 500, **options}
    return SceneVectorEnv(Model.builtin("swing_up"), num_envs, PENDULUM_SWING_UP, **settings)


def humanoid_stand_vector(num_envs: int = 1, **options: Any) -> SceneVectorEnv:
    """Many of `stiction/HumanoidStand-v0`; options as `SceneVectorEnv`."""
    settings = {"max_episode_steps": 1000, **options}
    return SceneVectorEnv(Model.builtin("humanoid"), num_envs, HUMANOID_STAND, **settings)


def _register() -> None:
    for name, steps in (("PendulumSwingUp", 500), ("HumanoidStand", 1000)):
        function = {"PendulumSwingUp": "pendulum_swing_up", "HumanoidStand": "humanoid_stand"}[name]
        if f"stiction/{name}-v0" not in gymnasium.registry:
            gymnasium.register(
                id=f"stiction/{name}-v0",
                entry_point=f"stiction.gym:{function}",
                vector_entry_point=f"stiction.gym:{function}_vector",
                max_episode_steps=steps,
            )


_register()
