"""Recordings judged from outside, by tools/recheck.py: what is sound passes, what was altered or damaged does not."""

from __future__ import annotations

import pathlib
import random
import subprocess
import sys
import zipfile
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest

import stiction

RECHECK = pathlib.Path(__file__).resolve().parents[3] / "tools" / "recheck.py"

Arrays = dict[str, npt.NDArray[np.generic]]

# Chains with drives over a floor, tied by a tendon, a cable, and equalities of every kind.
SCENE = """<mujoco><compiler angle="radian"/><option timestep="{timestep}" gravity="0 0 -9.81"/><worldbody>
<geom name="floor" type="plane" size="5 5 1" friction="{mu}"/>{bodies}</worldbody>
<tendon>{tendons}</tendon><equality>{equalities}</equality><actuator>{drives}</actuator><custom>{custom}</custom></mujoco>"""


def between(source: random.Random, low: float, high: float) -> str:
    return f"{source.uniform(low, high):.4g}"


def random_scene(seed: int, constrained: bool) -> str:
    """Trees of boxes, balls and capsules; `constrained` with limits, joint friction, tendons, cables, equalities and drives."""
    source = random.Random(seed)
    bodies, drives, joints = "", "", []
    trees = 2 + source.randrange(2)
    for tree in range(trees):
        links = 1 + source.randrange(3)
        for link in range(links):
            name = f"{tree}{link}"
            place = f"{0.5 * tree} 0 {between(source, 0.15, 0.5)}" if link == 0 else f"{between(source, 0.15, 0.25)} 0 0"
            bodies += f'<body name="b{name}" pos="{place}" euler="{between(source, -0.5, 0.5)} {between(source, -0.5, 0.5)} 0">'
            if link == 0 and (tree == 0 or source.random() < 0.5):
                bodies += "<freejoint/>"
            else:
                kind = source.choice(("hinge", "hinge", "slide", "ball")) if constrained else "hinge"
                axis = "0 1 0" if source.random() < 0.7 else "1 0 1"
                more = f'damping="{between(source, 0, 0.05)}"'
                if constrained:
                    low = "0" if kind == "ball" else between(source, -0.5, -0.02)
                    more += f' range="{low} {between(source, 0.05, 0.6)}" frictionloss="{between(source, 0, 0.4)}"'
                    more += f' stiffness="{between(source, 0, 2)}" armature="{between(source, 0, 0.01)}"'
                bodies += f'<joint name="j{name}" type="{kind}" axis="{axis}" {more}/>'
                if kind != "ball":
                    joints.append(f"j{name}")
                    drive = source.choice(("motor", "position", None)) if constrained else None
                    if drive == "motor":
                        drives += f'<motor joint="j{name}" gear="{between(source, 0.1, 2)}"/>'
                    elif drive == "position":
                        drives += f'<position joint="j{name}" kp="{between(source, 1, 20)}" kv="0.1"/>'
            size = between(source, 0.04, 0.1)
            shape = source.choice((f'type="box" size="{size} 0.05 0.06"', f'type="sphere" size="{size}"',
                                   f'type="capsule" size="0.04 {size}"'))
            bodies += f'<geom name="g{name}" {shape} mass="{between(source, 0.1, 3)}" friction="{between(source, 0, 1)}"/>'
            bodies += f'<site name="s{name}" pos="0.05 0 0.05"/>'
        bodies += "</body>" * links
    tendons, equalities, custom = "", "", ""
    if constrained:
        tendons += f'<spatial name="rope" range="0 {between(source, 0.3, 0.6)}"><site site="s00"/><site site="s10"/></spatial>'
        if len(joints) > 1:
            paths = "".join(f'<joint joint="{joint}" coef="{between(source, -1, 1)}"/>' for joint in joints[:2])
            tendons += f'<fixed name="tendon" range="-0.1 0.1" frictionloss="0.2" damping="0.3" stiffness="4">{paths}</fixed>'
            drives += f'<position tendon="tendon" kp="{between(source, 1, 10)}"/>'
        equality = source.randrange(4)
        if equality == 0:
            equalities += '<connect name="tie" body1="b00" body2="b10" anchor="0.2 0 0.1"/>'
        elif equality == 1:
            equalities += '<weld name="tie" body1="b00" body2="b10"/>'
        elif equality == 2 and len(joints) > 1:
            equalities += f'<joint name="tie" joint1="{joints[0]}" joint2="{joints[1]}" polycoef="0 {between(source, -1, 1)}"/>'
        else:
            kind = source.choice(("hinge", "slide", "ball"))
            words = "damping=0.05 frictionloss=0.1 stiffness=0.5" + ("" if kind == "ball" else " range=-0.1,0.1")
            custom += f'<text name="stiction:closure:tie" data="{kind} s00 s10 {words}"/>'
    timestep, mu = source.choice(("0.001", "0.004", "0.01")), between(source, 0, 1)
    return SCENE.format(**{name: value for name, value in locals().items()
                           if name in ("timestep", "mu", "bodies", "tendons", "equalities", "drives", "custom")})


def record(path: pathlib.Path, scene: stiction.Model, steps: int, **settings: str) -> None:
    sim = stiction.Simulation(scene, record=True, **settings)
    for step in range(steps):
        sim.ctrl[:] = np.sin(0.05 * step)
        sim.step()
    sim.save(path)


def recheck(*paths: pathlib.Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(RECHECK), *map(str, paths)]
    return subprocess.run(command, capture_output=True, text=True, check=False)
