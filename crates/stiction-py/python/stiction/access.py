"""Access by name: views of bodies, joints, geoms and actuators of a simulation, always in its present state."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Union

import numpy as np
import numpy.typing as npt

from stiction._stiction import StictionError

if TYPE_CHECKING:
    from stiction.simulation import Simulation

Floats = npt.NDArray[np.float64]


def index_of(kind: str, name: str, names: Sequence[str]) -> int:
    """Place of a name among names; an error with what could be meant."""
    try:
        return names.index(name)
    except ValueError:
        close = difflib.get_close_matches(name, names, n=1)
        hint = f"; did you mean {close[0]!r}?" if close else f"; there are: {', '.join(names)}"
        raise StictionError(f"there is no {kind} {name!r}{hint}") from None


class _View:
    """What all views share: what is no property that can be set is refused."""

    _made = False

    def __setattr__(self, name: str, value: object) -> None:
        settable = getattr(getattr(type(self), name, None), "fset", None) is not None
        if self._made and not settable:
            raise AttributeError(f"{name!r} of {self!r} cannot be set")
        super().__setattr__(name, value)


class BodyView(_View):
    """A body of a simulation."""

    def __init__(self, sim: "Simulation", name: str) -> None:
        self._sim = sim
        self.name = name
        self.index = index_of("body", name, sim.model.body_names)
        self._made = True

    @property
    def position(self) -> Floats:
        """Position of its origin (3; m, world)."""
        return np.array(self._sim._body(self.index)[0])

    @property
    def quaternion(self) -> Floats:
        """Orientation (4; unit quaternion, w first)."""
        return np.array(self._sim._body(self.index)[1])

    @property
    def rotation(self) -> Floats:
        """Orientation (3 x 3); the columns are its axes in the world."""
        w, x, y, z = self._sim._body(self.index)[1]
        return np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
            ]
        )

    @property
    def velocity(self) -> Floats:
        """Velocity of its origin (3; m/s, world)."""
        return np.array(self._sim._body(self.index)[2])

    @property
    def angular_velocity(self) -> Floats:
        """Angular velocity (3; rad/s, world)."""
        return np.array(self._sim._body(self.index)[3])

    @property
    def mass(self) -> float:
        """Mass (kg), without children."""
        return self._sim.model._body(self.index)[0]

    @property
    def applied_wrench(self) -> Floats:
        """Applied force and moment at its centre of mass (6; N, N m, world): a view; write into it to set it."""
        row: Floats = self._sim.xfrc_applied[self.index]
        return row

    def __repr__(self) -> str:
        return f"<stiction.BodyView {self.name!r}>"


class JointView(_View):
    """A joint of a simulation."""

    def __init__(self, sim: "Simulation", name: str) -> None:
        self._sim = sim
        self.name = name
        self.index = index_of("joint", name, sim.model.joint_names)
        self.kind, self._q, self._nq, self._v, self._nv, body, self.range = sim.model._joint(self.index)
        self.body = sim.model.body_names[body]
        self._made = True

    @property
    def qpos(self) -> Floats:
        """Its coordinates: a view; write into it to set them (rad, m; free joint: m and a unit quaternion)."""
        part: Floats = self._sim.qpos[self._q : self._q + self._nq]
        return part

    @property
    def qvel(self) -> Floats:
        """Its generalized velocities: a view; write into it to set them (rad/s, m/s)."""
        part: Floats = self._sim.qvel[self._v : self._v + self._nv]
        return part

    @property
    def applied_force(self) -> Floats:
        """Applied generalized force: a view; write into it to set it (N m, N)."""
        part: Floats = self._sim.qfrc_applied[self._v : self._v + self._nv]
        return part

    def __repr__(self) -> str:
        return f"<stiction.JointView {self.name!r}: {self.kind} of {self.body!r}>"


class GeomView(_View):
    """A collision shape of a simulation."""

    def __init__(self, sim: "Simulation", name: str) -> None:
        self.name = name
        self.index = index_of("geom", name, sim.model.geom_names)
        body, self.friction, self.material = sim.model._geom(self.index)
        self.body = sim.model.body_names[body]
        self._made = True

    def __repr__(self) -> str:
        return f"<stiction.GeomView {self.name!r} on {self.body!r}>"


class ActuatorView(_View):
    """An actuator of a simulation."""

    def __init__(self, sim: "Simulation", name: str) -> None:
        self._sim = sim
        self.name = name
        self.index = index_of("actuator", name, sim.model.actuator_names)
        self._made = True

    @property
    def control_range(self) -> Union[list[float], None]:
        """Bounds of the control; None without."""
        return self._sim.model._control_range(self.index)

    @property
    def ctrl(self) -> float:
        """Its control."""
        return float(self._sim.ctrl[self.index])

    @ctrl.setter
    def ctrl(self, value: float) -> None:
        self._sim.ctrl[self.index] = value

    def __repr__(self) -> str:
        return f"<stiction.ActuatorView {self.name!r}>"
