"""Writes mjcf.json: what MuJoCo makes of every scene in scenes/ and tests/oracle/mjcf/.

Run with `python tests/oracle/mjcf_fixture.py` from the root of the repository (written with mujoco 4.0.0).
Everything is at the reference configuration qpos0; quaternions are w first, angles in radians.
"""

import json
import pathlib

import mujoco
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
JOINTS = ["free", "ball", "slide", "hinge"]


def name_of(model, kind, index):
    return mujoco.mj_id2name(model, kind, index) or ""


def total_inertia(model, data):
    """Inertia about the world's origin, in world axes, of all bodies that joints move."""
    total = np.zeros((3, 3))
    for body in range(1, model.nbody):
        root = model.body_weldid[body]
        if root == 0 or model.body_mocapid[root] >= 0:
            continue
        axes = data.ximat[body].reshape(3, 3)
        at = data.xipos[body]
        total += axes @ np.diag(model.body_inertia[body]) @ axes.T
        total += model.body_mass[body] * (at @ at * np.eye(3) - np.outer(at, at))
    return total


def mesh_bounds(model, data, geom):
    """Lowest and highest corner of the bounding box, in world axes, of a mesh where its geom has it; else None.

    MuJoCo moves a mesh into its principal axes and the geom with it, so that the geom's own pose tells nothing.
    """
    if model.geom_type[geom] != mujoco.mjtGeom.mjGEOM_MESH:
        return None
    mesh = model.geom_dataid[geom]
    first = model.mesh_vertadr[mesh]
    vertices = model.mesh_vert[first : first + model.mesh_vertnum[mesh]].astype(float)
    points = vertices @ data.geom_xmat[geom].reshape(3, 3).T + data.geom_xpos[geom]
    return [points.min(axis=0).tolist(), points.max(axis=0).tolist()]


def optional_range(limited, values):
    return values.tolist() if limited else None


def describe(path):
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    kinds = mujoco.mjtObj
    bodies = [
        {
            "name": name_of(model, kinds.mjOBJ_BODY, i),
            "position": data.xpos[i].tolist(),
            "quaternion": data.xquat[i].tolist(),
            "mass": model.body_mass[i],
            "center_of_mass": model.body_ipos[i].tolist(),
        }
        for i in range(1, model.nbody)
    ]
    joints = []
    for i in range(model.njnt):
        dof = model.jnt_dofadr[i]
        scalar = model.jnt_type[i] >= 2
        joints.append(
            {
                "name": name_of(model, kinds.mjOBJ_JOINT, i),
                "type": JOINTS[model.jnt_type[i]],
                "anchor": data.xanchor[i].tolist(),
                "axis": data.xaxis[i].tolist(),
                "range": optional_range(model.jnt_limited[i], model.jnt_range[i]),
                "reference": model.qpos0[model.jnt_qposadr[i]] if scalar else 0.0,
                "spring_reference": model.qpos_spring[model.jnt_qposadr[i]] if scalar else 0.0,
                "stiffness": model.jnt_stiffness[i].flat[0],
                "damping": model.dof_damping[dof].flat[0],
                "armature": model.dof_armature[dof],
                "friction_loss": model.dof_frictionloss[dof],
            }
        )
    geoms = [
        {
            "name": name_of(model, kinds.mjOBJ_GEOM, i),
            "body": int(model.geom_bodyid[i]),
            "type": mujoco.mjtGeom(model.geom_type[i]).name,
            "size": model.geom_size[i].tolist(),
            "position": data.geom_xpos[i].tolist(),
            "rotation": data.geom_xmat[i].tolist(),
            "mesh_bounds": mesh_bounds(model, data, i),
            "friction": model.geom_friction[i][0],
            "condim": int(model.geom_condim[i]),
            "contype": int(model.geom_contype[i]),
            "conaffinity": int(model.geom_conaffinity[i]),
            "priority": int(model.geom_priority[i]),
            "material": name_of(model, kinds.mjOBJ_MATERIAL, model.geom_matid[i]) if model.geom_matid[i] >= 0 else None,
            "surface_velocity": model.geom_surfacevel[i][:3].tolist(),
        }
        for i in range(model.ngeom)
    ]
    actuators = [
        {
            "name": name_of(model, kinds.mjOBJ_ACTUATOR, i),
            "joint": int(model.actuator_trnid[i][0]),
            "gear": model.actuator_gear[i].tolist(),
            "gain": model.actuator_gainprm[i][0],
            "bias": model.actuator_biasprm[i][:3].tolist() if model.actuator_biastype[i] == 1 else [0.0] * 3,
            "control_range": optional_range(model.actuator_ctrllimited[i], model.actuator_ctrlrange[i]),
            "force_range": optional_range(model.actuator_forcelimited[i], model.actuator_forcerange[i]),
        }
        for i in range(model.nu)
    ]
    pairs = [
        {
            "geoms": [int(model.pair_geom1[i]), int(model.pair_geom2[i])],
            "condim": int(model.pair_dim[i]),
            "friction": model.pair_friction[i][0],
        }
        for i in range(model.npair)
    ]
    equalities = [
        {
            "name": name_of(model, kinds.mjOBJ_EQUALITY, i),
            "type": "connect" if model.eq_type[i] == 0 else "weld",
            "bodies": [int(model.eq_obj1id[i]), int(model.eq_obj2id[i])],
            "data": model.eq_data[i][:10].tolist(),
        }
        for i in range(model.neq)
        if model.eq_active0[i]
    ]
    keys = [
        {
            "name": name_of(model, kinds.mjOBJ_KEY, i),
            "time": model.key_time[i],
            "qpos": model.key_qpos[i].tolist(),
            "qvel": model.key_qvel[i].tolist(),
            "ctrl": model.key_ctrl[i].tolist(),
        }
        for i in range(model.nkey)
    ]
    gravity_off = model.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_GRAVITY
    return {
        "file": str(path.relative_to(ROOT)),
        "timestep": model.opt.timestep,
        "gravity": [0.0] * 3 if gravity_off else model.opt.gravity.tolist(),
        "qpos0": model.qpos0.tolist(),
        "nv": model.nv,
        "total_inertia": total_inertia(model, data).tolist(),
        "bodies": bodies,
        "joints": joints,
        "geoms": geoms,
        "actuators": actuators,
        "pairs": pairs,
        "equalities": equalities,
        "keys": keys,
    }


if __name__ == "__main__":
    files = sorted(ROOT.glob("scenes/*.xml")) + sorted(ROOT.glob("tests/oracle/mjcf/*.xml"))
    out = ROOT / "tests/oracle/mjcf.json"
    scenes = [describe(path) for path in files]
    lines = ",\n".join(json.dumps(scene) for scene in scenes)
    out.write_text(f"[\n{lines}\n]\n")
    print(f"{len(files)} scenes written to {out.relative_to(ROOT)}")
