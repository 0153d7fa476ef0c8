"""A scene in motion."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Union

import numpy.typing as npt

from stiction import _stiction
from stiction._stiction import Model, Snapshot
from stiction.access import ActuatorView, BodyView, GeomView, JointView
from stiction.arrays import floats
from stiction.settings import Settings, SettingsOptions, did_you_mean, settings_of

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack


class Simulation(_stiction.Simulation):
    """A scene in motion.

    The arrays `qpos`, `qvel`, `ctrl`, `qfrc_applied`, `xfrc_applied`, `mocap_pos`, `mocap_quat`,
    `mocap_linvel` and `mocap_angvel` are the state: write into them to set it; one that was kept shows the state after the next step.
    A mocap body whose pose is written before a step moves there within it and takes along what it holds; see `teleport_mocap`.

    Parameters:
        model: the scene, at whose keyframe "start" the simulation begins if there is one.
        settings: how it is simulated; or the fields of `Settings` as keywords: `dt` (s, short for `timestep`), `contact`,
            `solver`, ...
        record: whether steps are recorded, for `save` and the notebook.

    Raises:
        StictionError: a setting is out of range, or a solver does not fit the contact model.
    """

    def __new__(
        cls, model: Model, settings: Union[Settings, None] = None, *, record: bool = False, **options: Unpack[SettingsOptions]
    ) -> Self:
        chosen = settings_of(settings, options)
        return super().__new__(cls, model, chosen.to_json(), record)

    def __setattr__(self, name: str, value: npt.ArrayLike) -> None:
        # `sim.qpos = x` writes into the array that everybody holds.
        if name in _STATE:
            getattr(self, name)[...] = floats(value)
        elif name.startswith("_") or hasattr(type(self), name):
            super().__setattr__(name, value)
        else:
            self._refuse_former(name)
            known = [known for known in dir(type(self)) if not known.startswith("_")]
            raise AttributeError(f"a Simulation has no attribute {name!r}{did_you_mean(name, known)}")

    if not TYPE_CHECKING:  # where it would stand for every name

        def __getattr__(self, name):
            self._refuse_former(name)
            raise AttributeError(f"a Simulation has no attribute {name!r}")

    @staticmethod
    def _refuse_former(name: str) -> None:
        if name == "mocap_vel":
            raise AttributeError("mocap_vel is now two arrays by name: mocap_linvel (m/s) and mocap_angvel (rad/s)")

    def body(self, name: str) -> BodyView:
        """The body of this name."""
        return BodyView(self, name)

    def joint(self, name: str) -> JointView:
        """The joint of this name."""
        return JointView(self, name)

    def geom(self, name: str) -> GeomView:
        """The geom of this name; unnamed ones are called BODY/INDEX."""
        return GeomView(self, name)

    def actuator(self, name: str) -> ActuatorView:
        """The actuator of this name."""
        return ActuatorView(self, name)

    def teleport_mocap(
        self,
        body: str,
        position: Union[npt.ArrayLike, None] = None,
        orientation: Union[npt.ArrayLike, None] = None,
    ) -> None:
        """Puts a mocap body somewhere at once, without a speed: what it held stays behind.

        Writing `mocap_pos` and `mocap_quat` moves the body within the next step instead.

        Parameters:
            body: its name.
            position: of its origin (m, world); `None`: what `mocap_pos` has.
            orientation: a quaternion, w first; `None`: what `mocap_quat` has.

        Raises:
            KeyError: there is no mocap body of this name.
        """
        names = self.model.mocap_names
        if body not in names:
            raise KeyError(f"there is no mocap body {body!r}{did_you_mean(body, names)}")
        index = names.index(body)
        if position is not None:
            self.mocap_pos[index] = floats(position)
        if orientation is not None:
            self.mocap_quat[index] = floats(orientation)
        self._teleport_mocap(index)

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes what was recorded: `.html` a page that plays it in a browser, `.npz` a NumPy archive.

        Raises:
            StictionError: nothing was recorded (`record=True` is missing), another extension, or the file cannot be
                written.
        """
        self._save(os.fspath(path))

    def _repr_html_(self) -> Union[str, None]:
        """The page of the recording, for notebooks."""
        if not self.recording or self.step_number == 0:
            return None
        page = self._page().replace("&", "&amp;").replace('"', "&quot;")
        return f'<iframe srcdoc="{page}" width="100%" height="640" style="border:0"></iframe>'

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, self._parts()

    def __repr__(self) -> str:
        return f"<stiction.Simulation of {self.model.name!r} at t = {self.time} s: {self.contact_model}, {self.solver}>"


_STATE = frozenset(
    [
        "qpos",
        "qvel",
        "ctrl",
        "qfrc_applied",
        "xfrc_applied",
        "mocap_pos",
        "mocap_quat",
        "mocap_linvel",
        "mocap_angvel",
    ]
)


def _rebuild(model: Model, settings: str, snapshot: bytes, record: bool) -> Simulation:
    """A pickled simulation. One that recorded begins a new recording at its state."""
    sim = _stiction.Simulation.__new__(Simulation, model, settings, False)
    sim.restore(Snapshot.from_bytes(snapshot))
    if record:
        sim._record()
    return sim
