"""Writes tendons.json: lengths, rates, forces and accelerations that MuJoCo finds for tendons.xml at random states, and
configurations that fulfil its equality constraints between joints and between tendons.

Run with `python tests/oracle/tendons.py` from the root of the repository (written with mujoco 4.0.0).
"""

import json
import pathlib

import mujoco
import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
COUPLINGS = """<equality>
<joint name="joints" joint1="lt" joint2="o" polycoef="0.05 0.7 -0.3 0.2 0.1"/>
<joint name="fixed" joint1="lift" polycoef="0.07"/>
<tendon name="tendons" tendon1="branches" tendon2="trees" polycoef="-0.02 0.5 0.2"/>
</equality>"""


def moving(text, random):
    """States with the forces on the joints, and accelerations without constraints."""
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    states = []
    for _ in range(12):
        data.qpos[:] = model.qpos0 + random.normal(size=model.nq) * 0.6
        data.qvel[:] = random.normal(size=model.nv)
        data.ctrl[:] = random.normal(size=model.nu)
        mujoco.mj_forward(model, data)
        states.append(
            {
                "q": data.qpos.tolist(),
                "v": data.qvel.tolist(),
                "ctrl": data.ctrl.tolist(),
                "length": data.ten_length.tolist(),
                "rate": data.ten_velocity.tolist(),
                "passive": data.qfrc_passive.tolist(),
                "acceleration": data.qacc.tolist(),
            }
        )
    return states


def closed(text, random):
    """Configurations whose constraint residuals are zero, by Newton's method with MuJoCo's own Jacobian."""
    model = mujoco.MjModel.from_xml_string(text)
    model.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    data = mujoco.MjData(model)
    configurations = []
    for _ in range(6):
        data.qpos[:] = model.qpos0 + random.normal(size=model.nq) * 0.3
        for _ in range(30):
            mujoco.mj_forward(model, data)
            jacobian = data.efc_J.reshape(-1, model.nv)[: data.ne]
            data.qpos[:] -= np.linalg.pinv(jacobian) @ data.efc_pos[: data.ne]
        mujoco.mj_forward(model, data)
        assert data.ne == 3 and np.abs(data.efc_pos[:3]).max() < 1e-14
        configurations.append(data.qpos.tolist())
    return configurations


if __name__ == "__main__":
    scene = (HERE / "tendons.xml").read_text()
    coupled = scene.replace("<actuator>", COUPLINGS + "\n  <actuator>")
    random = np.random.default_rng(1)
    out = {"couplings": COUPLINGS, "states": moving(scene, random), "closed": closed(coupled, random)}
    (HERE / "tendons.json").write_text(json.dumps(out, indent=1) + "\n")
