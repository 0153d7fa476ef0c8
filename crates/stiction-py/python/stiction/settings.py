"""How a scene is simulated.

`Settings` holds names and numbers and leaves to the scene what it does not say. Where every setting of a contact model
counts, `contact` may be one of the formulations `ExactCone`, `Polyhedral`, `FrictionBox`, `NoSlip`, whose fields are the
engine's own; a test holds all of them against the engine's defaults.
"""

from __future__ import annotations

import dataclasses
import difflib
import json
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, TypedDict, Union, cast

ContactModel = Literal[
    "cone",
    "convex",
    "stewart-trinkle",
    "anitescu-potra",
    "frictionless",
    "viscous",
    "viscous-explicit",
    "friction-box",
    "friction-box-fixed-point",
    "no-slip",
    "no-slip-paper",
]
"""Names of the contact models."""


@dataclass(frozen=True)
class ExactCone:
    """Exact friction cones, and with them every law of contact.

    Parameters:
        law: "coulomb", or "associated" for the convex relaxation, under which sliding bodies dilate.
        replacement: law of all contacts with friction in place of their own, as scenes write it: "frictionless",
            "no-slip", "coulomb 0.3", "viscous 2" (N s/m) or "coulomb 0.3 viscous 2".
        viscous: whether viscous friction answers the velocity after the step ("implicit") or before it ("explicit").
        compliance: velocity per impulse of every contact row (1/kg), 0 for rigid contacts.
        solver: name of a solver of cone problems, see `stiction.solvers`, with settings after it as in
            "nsgs max_iterations=200" or "chain tolerance=1e-8 max_factorizations=50".
    """

    law: Literal["coulomb", "associated"] = "coulomb"
    replacement: Union[str, None] = None
    viscous: Literal["implicit", "explicit"] = "implicit"
    compliance: float = 0.0
    solver: str = "chain"


@dataclass(frozen=True)
class Polyhedral:
    """Friction cones replaced by pyramids (Stewart and Trinkle; Anitescu and Potra).

    Parameters:
        directions: number of friction directions, even, 4 to 32.
        aligned: whether the first direction opposes the free sliding velocity.
        gap: "StewartTrinkle" with predicted contacts, or "AnitescuPotra" with touching ones only.
        solver: "lemke", "fb-rlm", "fb-plm" or "path", with settings after it.
    """

    directions: int = 4
    aligned: bool = True
    gap: Literal["StewartTrinkle", "AnitescuPotra"] = "StewartTrinkle"
    solver: str = "lemke"


@dataclass(frozen=True)
class FrictionBox:
    """Tangential impulses within boxes, a symmetric problem (Arechavaleta, Lopez-Damian and Morales 2010).

    Parameters:
        fixed_point: rounds in which the bounds are re-estimated within a step; None takes the last step's.
        mixing: what is added to the diagonal, in units of the mean diagonal of each block (dimensionless).
        solver: name of a solver of problems with bounds, with settings after it.
    """

    fixed_point: Union[int, None] = None
    mixing: float = 1e-11
    solver: str = "pgs-sm"


@dataclass(frozen=True)
class NoSlip:
    """Contacts with friction do not slip, whatever it takes (Drumwright 2015, section VI).

    Parameters:
        releasing: whether contacts that do not press are released; as published they are not.
        max_rounds: rounds of releasing and holding at most.
        solver: name of a solver of factored problems or problems with bounds, with settings after it.
    """

    releasing: bool = True
    max_rounds: int = 100
    solver: str = "ppm"


Formulation = Union[ExactCone, Polyhedral, FrictionBox, NoSlip]
"""A contact model with all its settings."""


@dataclass(frozen=True)
class Settings:
    """How a scene is simulated; None leaves the choice to the scene, and then to the default.

    Parameters:
        timestep: time step (s).
        contact: contact model, by name or with all its settings.
        solver: name of its solver, with settings after it as in "nsgs max_iterations=200"; one that does not fit is refused
            with those that do.
        stepper: "rattle" (impulses at both ends of a step), "time-stepping" for cheap steps of first order, "acceleration" for
            contacts that persist, or "event-driven" to locate impacts in time.
        friction_directions: of a polyhedral contact model, even, 4 to 32.
        viscosity: of each contact point (N s/m), for the viscous contact models.
        compliance: of contacts (1/kg).
        impact: law of restitution, "poisson" or "newton".
        impact_threshold: approaches up to this speed do not bounce (m/s).
        restitution: coefficient of all contacts, 0 to 1, in place of the scene's (dimensionless).
        baumgarte: fraction of a bilateral position error that one step removes through velocities, 0 to 1.
        overlap_tolerance: overlap above which a step begins with a projection (m, rad).
        depenetration_speed: speed at which overlap is removed, without giving bodies a velocity (m/s, and rad/s of limits that
            are angles), at least 0; without one it is removed at once.
    """

    timestep: Union[float, None] = None
    contact: Union[ContactModel, Formulation, None] = None
    solver: Union[str, None] = None
    stepper: Union[Literal["time-stepping", "rattle", "acceleration", "event-driven"], None] = None
    friction_directions: Union[int, None] = None
    viscosity: Union[float, None] = None
    compliance: Union[float, None] = None
    impact: Union[Literal["poisson", "newton"], None] = None
    impact_threshold: Union[float, None] = None
    restitution: Union[float, None] = None
    baumgarte: Union[float, None] = None
    overlap_tolerance: Union[float, None] = None
    depenetration_speed: Union[float, None] = None

    def to_json(self) -> str:
        """The settings as the engine reads them."""
        fields = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        contact = fields.pop("contact")
        if isinstance(contact, (ExactCone, Polyhedral, FrictionBox, NoSlip)):
            for name in ("solver", "friction_directions", "viscosity", "compliance"):
                if fields[name] is not None:
                    raise _refuse(f"{name} = {fields[name]!r} beside a whole formulation: set it in {contact!r}")
            fields["formulation"] = {type(contact).__name__: dataclasses.asdict(contact)}
        else:
            fields["contact_model"] = contact
        for name, value in fields.items():
            if isinstance(value, float) and not math.isfinite(value):
                raise _refuse(f"{name} is {value}: a finite number is needed")
        return json.dumps(fields, default=_plain)


class SettingsOptions(TypedDict, total=False):
    """The fields of `Settings` as keywords, with `dt` short for `timestep`."""

    dt: Union[float, None]
    timestep: Union[float, None]
    contact: Union[ContactModel, Formulation, None]
    solver: Union[str, None]
    stepper: Union[Literal["time-stepping", "rattle", "acceleration", "event-driven"], None]
    friction_directions: Union[int, None]
    viscosity: Union[float, None]
    compliance: Union[float, None]
    impact: Union[Literal["poisson", "newton"], None]
    impact_threshold: Union[float, None]
    restitution: Union[float, None]
    baumgarte: Union[float, None]
    overlap_tolerance: Union[float, None]
    depenetration_speed: Union[float, None]


def _plain(value: Any) -> Any:
    """A NumPy number as Python's."""
    if hasattr(value, "item"):
        return value.item()
    raise _refuse(f"{value!r} is no setting")


def _refuse(message: str) -> Exception:
    from stiction._stiction import StictionError

    return StictionError(message)


def settings_of(settings: Union[Settings, None], options: SettingsOptions) -> Settings:
    """The settings object, or one made of keyword options, where `dt` is short for `timestep`."""
    given = cast("dict[str, Any]", dict(options))
    if "dt" in given:
        given["timestep"] = given.pop("dt")
    if settings is None:
        known = {f.name for f in dataclasses.fields(Settings)}
        for name in given:
            if name not in known:
                raise TypeError(f"{name!r} is no setting{did_you_mean(name, known)}; there are: {', '.join(sorted(known))}")
        return Settings(**given)
    if given:
        raise TypeError(f"give a settings object or keywords, not both: {', '.join(given)}")
    return settings


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A suggestion in parentheses, if a known name is near."""
    near = difflib.get_close_matches(name, sorted(known), n=1)
    return f" (did you mean {near[0]!r}?)" if near else ""
