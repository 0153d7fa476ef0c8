"""Mass matrices, bias forces and accelerations of three mechanisms, computed by MuJoCo and by Pinocchio.

Writes dynamics.json beside this script. Both engines get the same plain numbers: MuJoCo as MJCF written here,
Pinocchio as a model built joint by joint. All results are in the conventions of MuJoCo (free joint: velocity of the
body origin in world axes, angular velocity in body axes); Pinocchio's free joint, which has both in body axes, is
converted. Run with `python3 dynamics.py`; needs numpy, mujoco and pinocchio.
"""

import json
import pathlib

import mujoco
import numpy as np
import pinocchio as pin

GRAVITY = [0.3, -0.4, -9.81]


def rotation(quaternion):
    """Rotation matrix of a unit quaternion, w first."""
    w, x, y, z = quaternion
    return pin.Quaternion(w, x, y, z).toRotationMatrix()


class Mechanism:
    """Bodies with joints as a person would describe them; body 0 is the world."""

    def __init__(self, name, seed):
        self.name, self.bodies, self.random = name, [], np.random.default_rng(seed)

    def direction(self):
        x = self.random.normal(size=3)
        return x / np.linalg.norm(x)

    def quaternion(self):
        q = self.random.normal(size=4)
        return q / np.linalg.norm(q)

    def body(self, parent, position, joints, turned=True):
        """joints: list of (kind, axis or None); anchors, references, armatures and inertia are random."""
        r = self.random
        specs = []
        for kind, axis in joints:
            anchored = kind in ("hinge", "ball")
            single = kind in ("hinge", "slide")
            specs.append(
                dict(
                    kind=kind,
                    axis=None if axis is None else np.asarray(axis) / np.linalg.norm(axis),
                    anchor=r.uniform(-0.1, 0.1, 3) if anchored else np.zeros(3),
                    reference=r.uniform(-0.5, 0.5) if single else 0.0,
                    armature=r.uniform(0.0, 0.1) if single and r.random() < 0.5 else 0.0,
                )
            )
        moments = r.uniform(0.01, 0.1, 3)
        self.bodies.append(
            dict(
                parent=parent,
                position=np.asarray(position, float),
                quaternion=self.quaternion() if turned else np.array([1.0, 0, 0, 0]),
                joints=specs,
                mass=r.uniform(0.5, 3.0),
                center=r.uniform(-0.2, 0.2, 3),
                principal=moments.sum() - moments,
                axes=self.quaternion(),
            )
        )
        return len(self.bodies)

    def mjcf(self):
        def numbers(x):
            return " ".join(repr(float(v)) for v in np.atleast_1d(x))

        def element(index):
            b = self.bodies[index - 1]
            text = f'<body name="b{index}" pos="{numbers(b["position"])}" quat="{numbers(b["quaternion"])}">'
            text += (
                f'<inertial mass="{numbers(b["mass"])}" pos="{numbers(b["center"])}" '
                f'quat="{numbers(b["axes"])}" diaginertia="{numbers(b["principal"])}"/>'
            )
            for k, j in enumerate(b["joints"]):
                text += f'<joint name="b{index}j{k}" type="{j["kind"]}" armature="{numbers(j["armature"])}"'
                if j["axis"] is not None:
                    text += f' axis="{numbers(j["axis"])}" ref="{numbers(j["reference"])}"'
                if j["kind"] != "free":
                    text += f' pos="{numbers(j["anchor"])}"'
                text += "/>"
            children = [i + 1 for i, c in enumerate(self.bodies) if c["parent"] == index]
            return text + "".join(element(i) for i in children) + "</body>"

        roots = "".join(element(i + 1) for i, b in enumerate(self.bodies) if b["parent"] == 0)
        return (
            f'<mujoco model="{self.name}"><compiler angle="radian"/>'
            f'<option gravity="{numbers(GRAVITY)}"><flag contact="disable" constraint="disable"/></option>'
            f"<worldbody>{roots}</worldbody></mujoco>"
        )

    def description(self):
        """The bodies as plain lists, for a reader that makes links itself."""
        plain = lambda x: x.tolist() if isinstance(x, np.ndarray) else x
        out = []
        for b in self.bodies:
            axes = rotation(b["axes"])
            entry = {k: plain(b[k]) for k in ("parent", "position", "quaternion", "mass", "center")}
            entry["inertia"] = (axes @ np.diag(b["principal"]) @ axes.T).tolist()
            entry["joints"] = [{k: plain(v) for k, v in j.items()} for j in b["joints"]]
            out.append(entry)
        return out

    def links(self):
        """One link per joint: frame at the anchor with the body's axes; only a body's last link has inertia."""
        links, last = [], {}
        for index in self.order():
            b = self.bodies[index - 1]
            parent, anchor = last.get(b["parent"], (None, np.zeros(3)))
            turn, position = rotation(b["quaternion"]), b["position"] - anchor
            previous = None
            for k, j in enumerate(b["joints"]):
                if previous is None:
                    placement = (position + turn @ j["anchor"], turn)
                    if j["kind"] == "free":
                        placement = (np.zeros(3), np.eye(3))
                else:
                    placement = (j["anchor"] - previous, np.eye(3))
                links.append(
                    dict(
                        name=f"b{index}j{k}",
                        body=index,
                        parent=parent,
                        kind=j["kind"],
                        axis=None if j["axis"] is None else j["axis"].tolist(),
                        translation=placement[0].tolist(),
                        rotation=placement[1].tolist(),
                        reference=j["reference"],
                        armature=j["armature"],
                        mass=0.0,
                        center=[0.0] * 3,
                        inertia=np.zeros((3, 3)).tolist(),
                    )
                )
                parent, previous = len(links) - 1, j["anchor"]
            axes = rotation(b["axes"])
            links[-1].update(
                mass=b["mass"],
                center=(b["center"] - previous).tolist(),
                inertia=(axes @ np.diag(b["principal"]) @ axes.T).tolist(),
                body_origin=(-previous).tolist(),
            )
            last[index] = (parent, previous)
        return links

    def order(self):
        """Bodies depth first, as MuJoCo numbers them."""

        def below(index):
            yield index
            for i, b in enumerate(self.bodies):
                if b["parent"] == index:
                    yield from below(i + 1)

        return [i for i in below(0) if i > 0]


def serial_arm():
    m = Mechanism("serial_arm", 1)
    parent = 0
    for kind in "hinge hinge slide hinge ball hinge slide hinge hinge ball slide hinge".split():
        axis = None if kind == "ball" else m.direction()
        parent = m.body(parent, m.random.uniform(-0.3, 0.3, 3), [(kind, axis)])
    return m


def humanoid():
    m = Mechanism("humanoid", 2)
    x, y, z = np.eye(3)
    hinges = lambda *axes: [("hinge", a) for a in axes]
    torso = m.body(0, [0, 0, 1.3], [("free", None)], turned=False)
    pelvis = m.body(torso, [0, 0, -0.3], hinges(x, y, z))
    for side in (-1, 1):
        thigh = m.body(pelvis, [0, 0.1 * side, -0.1], hinges(x, z, y), turned=False)
        shin = m.body(thigh, [0, 0, -0.4], hinges(y), turned=False)
        m.body(shin, [0, 0, -0.4], hinges(y, x), turned=False)
        arm = m.body(torso, [0, 0.2 * side, 0.2], hinges(x + y, y - z), turned=True)
        m.body(arm, [0.2, 0.1 * side, -0.2], hinges(z), turned=True)
    return m


def several_joints():
    m = Mechanism("several_joints", 3)
    root = m.body(0, [0.5, -0.2, 0.7], [("free", None)])
    first = m.body(root, [0.2, 0, 0.1], [("slide", m.direction()), ("hinge", [1, 0, 0]), ("hinge", [0, 1, 0.2])])
    m.body(first, [0, 0.3, 0.1], [("slide", m.direction()), ("ball", None)])
    m.body(root, [-0.2, 0.1, 0], [("hinge", [0, 1, 0]), ("slide", [1, 0, 0]), ("slide", [0, 0, 1])])
    cart = m.body(0, [1, 2, 3], [("slide", [1, 0, 0]), ("slide", [0, 1, 0]), ("hinge", [0, 0, 1])])
    m.body(cart, [0.1, 0.1, 0.4], [("ball", None)])
    return m


def state(mechanism, links):
    """A random configuration and velocity in MuJoCo's layout."""
    r, q, v = mechanism.random, [], []
    for link in links:
        if link["kind"] == "free":
            q += list(r.uniform(-2, 2, 3)) + list(mechanism.quaternion())
        elif link["kind"] == "ball":
            q += list(mechanism.quaternion())
        else:
            q.append(r.uniform(-1.5, 1.5))
        v += list(r.uniform(-2, 2, {"free": 6, "ball": 3}.get(link["kind"], 1)))
    return np.array(q), np.array(v)


def by_mujoco(model, q, v, tau):
    data = mujoco.MjData(model)
    data.qpos, data.qvel, data.qfrc_applied = q, v, tau
    mujoco.mj_forward(model, data)
    matrix = np.zeros((model.nv, model.nv))
    for column in range(model.nv):
        unit, out = np.zeros(model.nv), np.zeros(model.nv)
        unit[column] = 1.0
        mujoco.mj_mulM(model, data, out, unit)
        matrix[:, column] = out
    return (
        dict(mass_matrix=matrix.tolist(), bias=data.qfrc_bias.tolist(), acceleration=data.qacc.tolist()),
        dict(position=data.xpos[1:].tolist(), rotation=data.xmat[1:].reshape(-1, 3, 3).tolist()),
    )


def pinocchio_model(links):
    model = pin.Model()
    model.gravity = pin.Motion(np.array(GRAVITY), np.zeros(3))
    armature, joints = [], []
    for link in links:
        axis = np.array(link["axis"]) if link["axis"] else None
        joint = {
            "free": lambda: pin.JointModelFreeFlyer(),
            "ball": lambda: pin.JointModelSpherical(),
            "hinge": lambda: pin.JointModelRevoluteUnaligned(axis),
            "slide": lambda: pin.JointModelPrismaticUnaligned(axis),
        }[link["kind"]]()
        parent = 0 if link["parent"] is None else joints[link["parent"]]
        placement = pin.SE3(np.array(link["rotation"]), np.array(link["translation"]))
        joints.append(model.addJoint(parent, joint, placement, link["name"]))
        inertia = pin.Inertia(link["mass"], np.array(link["center"]), np.array(link["inertia"]))
        model.appendBodyToJoint(joints[-1], inertia, pin.SE3.Identity())
        armature += [link["armature"]] * {"free": 6, "ball": 3}.get(link["kind"], 1)
    model.armature = np.array(armature)
    assert joints == sorted(joints), "Pinocchio keeps the order of the links"
    return model


def by_pinocchio(model, links, q, v, tau):
    """Our v = T^-1 v_pin with T = diag(R^T, 1) on the linear part of free joints; a_pin = T a + drift."""
    transfer, drift, p, iq, iv = np.eye(model.nv), np.zeros(model.nv), [], 0, 0
    for link in links:
        if link["kind"] == "free":
            turn = rotation(q[iq + 3 : iq + 7])
            transfer[iv : iv + 3, iv : iv + 3] = turn.T
            drift[iv : iv + 3] = -np.cross(v[iv + 3 : iv + 6], turn.T @ v[iv : iv + 3])
            p += list(q[iq : iq + 3]) + list(q[iq + 4 : iq + 7]) + [q[iq + 3]]
            iq, iv = iq + 7, iv + 6
        elif link["kind"] == "ball":
            p += list(q[iq + 1 : iq + 4]) + [q[iq]]
            iq, iv = iq + 4, iv + 3
        else:
            p.append(q[iq] - link["reference"])
            iq, iv = iq + 1, iv + 1
    p, velocity = np.array(p), transfer @ v
    data = model.createData()
    matrix = pin.crba(model, data, p)
    matrix = np.triu(matrix) + np.triu(matrix, 1).T
    bias = pin.rnea(model, model.createData(), p, velocity, drift)
    found = pin.aba(model, model.createData(), p, velocity, transfer @ tau)
    return dict(
        mass_matrix=(transfer.T @ matrix @ transfer).tolist(),
        bias=(transfer.T @ bias).tolist(),
        acceleration=(transfer.T @ (found - drift)).tolist(),
    )


def main():
    fixtures = []
    for mechanism in (serial_arm(), humanoid(), several_joints()):
        links, mjcf = mechanism.links(), mechanism.mjcf()
        first, second = mujoco.MjModel.from_xml_string(mjcf), pinocchio_model(links)
        cases = []
        for _ in range(4):
            q, v = state(mechanism, links)
            tau = mechanism.random.uniform(-5, 5, first.nv)
            results, bodies = by_mujoco(first, q, v, tau)
            case = dict(q=q.tolist(), v=v.tolist(), tau=tau.tolist(), bodies=bodies)
            case["mujoco"], case["pinocchio"] = results, by_pinocchio(second, links, q, v, tau)
            for name, value in case["mujoco"].items():
                a, b = np.array(value), np.array(case["pinocchio"][name])
                print(f"{mechanism.name:15} {name:13} {np.abs(a - b).max() / np.abs(a).max():.1e}")
            cases.append(case)
        fixtures.append(
            dict(
                name=mechanism.name,
                gravity=GRAVITY,
                mjcf=mjcf,
                body_order=mechanism.order(),
                bodies=mechanism.description(),
                links=links,
                cases=cases,
            )
        )
    versions = dict(mujoco=mujoco.__version__, pinocchio=pin.__version__)
    target = pathlib.Path(__file__).with_name("dynamics.json")
    target.write_text(json.dumps(dict(versions=versions, fixtures=fixtures)) + "\n")


if __name__ == "__main__":
    main()
