"""Recordings for the Rerun viewer (an extra: pip install stiction[rerun]).

    sim = stiction.Simulation(model, record=True)
    ...
    stiction.rerun.to_rerun(sim, "run.rrd")      # then: rerun run.rrd
"""

from __future__ import annotations

import os
import tempfile
from typing import Any, Union

import numpy as np

from stiction._stiction import StictionError
from stiction.simulation import Simulation


def to_rerun(sim: Simulation, path: Union[str, "os.PathLike[str]", None] = None, application: str = "stiction") -> Any:
    """Logs a recorded simulation: shapes, poses, contact forces (1 m an average weight), energy and residual.

    Parameters:
        sim: a simulation with `record=True` that has stepped.
        path: an `.rrd` file to write; None keeps the data in the stream that is returned.
        application: name under which the viewer shows it.

    Returns:
        The recording stream.

    Raises:
        StictionError: nothing was recorded, or the Rerun library is not installed.
    """
    try:
        import rerun as rr
    except ImportError as error:
        raise StictionError("to_rerun needs the Rerun library: pip install stiction[rerun]") from error
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "recording.npz")
        sim.save(file)
        with np.load(file) as archive:
            data = {name: archive[name] for name in archive.files}
    stream = rr.RecordingStream(application)
    if path is not None:
        stream.save(os.fspath(path))
    _log_shapes(rr, stream, data)
    _log_motion(rr, stream, data)
    return stream


def _entity(name: str) -> str:
    """A body's place in the viewer's tree; slashes in names would make branches."""
    return "world/" + name.replace("/", "_")


def _log_shapes(rr: Any, stream: Any, data: dict[str, Any]) -> None:
    """Shapes under their bodies, once."""
    stream.log("world", rr.ViewCoordinates.RIGHT_HAND_Z_UP, static=True)
    kinds = list(data["shape_names"])
    for i, name in enumerate(data["geom_names"]):
        body = data["body_names"][data["geom_body"][i]]
        place = f"{_entity(str(body))}/{str(name).replace('/', '_')}"
        w, x, y, z = data["geom_quat"][i]
        stream.log(
            place,
            rr.Transform3D(translation=data["geom_pos"][i], quaternion=rr.Quaternion(xyzw=[x, y, z, w])),
            static=True,
        )
        shape = _shape(rr, str(kinds[data["geom_type"][i]]), data["geom_size"][i], data["geom_rgba"][i])
        if shape is not None:
            stream.log(place, shape, static=True)


def _shape(rr: Any, kind: str, size: Any, rgba: Any) -> Any:
    """A shape of the viewer; None for those it has no words for."""
    colors = [tuple(int(round(255 * c)) for c in rgba)]
    if kind == "box":
        return rr.Boxes3D(half_sizes=[size], colors=colors)
    if kind == "sphere":
        return rr.Ellipsoids3D(half_sizes=[[size[0]] * 3], colors=colors)
    if kind == "ellipsoid":
        return rr.Ellipsoids3D(half_sizes=[size], colors=colors)
    if kind == "capsule":
        # The viewer's capsule begins at its lower cap's centre.
        length = 2.0 * size[1]
        return rr.Capsules3D(lengths=[length], radii=[size[0]], translations=[[0, 0, -size[1]]], colors=colors)
    if kind == "cylinder":
        return rr.Cylinders3D(lengths=[2.0 * size[1]], radii=[size[0]], colors=colors)
    return None


def _log_motion(rr: Any, stream: Any, data: dict[str, Any]) -> None:
    """Poses, forces and curves, step by step."""
    names = [str(name) for name in data["body_names"]]
    weight = float(np.linalg.norm(data["gravity"]) * data["body_mass"].sum() / max(1, len(names) - 1)) or 1.0
    pointers = data["contact_ptr"]
    frames = data["contact_frame"]
    for step, time in enumerate(data["time"]):
        stream.set_time("simulation", duration=float(time))
        for body, name in enumerate(names):
            if data["body_fixed"][body]:
                continue
            w, x, y, z = data["body_quat"][step, body]
            stream.log(
                _entity(name),
                rr.Transform3D(
                    translation=data["body_pos"][step, body], quaternion=rr.Quaternion(xyzw=[x, y, z, w])
                ),
            )
        rows = slice(pointers[step], pointers[step + 1])
        force = np.einsum("cij,ci->cj", frames[rows], data["contact_impulse"][rows]) / data["timestep"]
        stream.log("world/contacts", rr.Arrows3D(origins=data["contact_point"][rows], vectors=force / weight))
        stream.log("curves/energy", rr.Scalars(float(data["energy"][step])))
        stream.log("curves/residual", rr.Scalars(float(data["certificate_residual"][step])))
