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


def altered(path: pathlib.Path, change: Callable[[Arrays], None]) -> pathlib.Path:
    """A copy of a recording with other numbers."""
    with np.load(path) as archive:
        arrays: Arrays = dict(archive)
    change(arrays)
    copy = path.with_name("altered.npz")
    np.savez(copy, **arrays)
    return copy


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """Everything that has rows, contacts too, under a contact model that is not exact: its certificates are far from zero."""
    path = tmp_path_factory.mktemp("recheck") / "run.npz"
    record(path, stiction.Model.from_string(random_scene(8, True)), 120, contact="convex")
    return path


def worst(r: Arrays, name: str) -> int:
    """The step in which a field is largest."""
    return int(np.argmax(np.abs(r[name])))


WAYS: tuple[dict[str, str], ...] = (
    {},
    {"contact": "convex"},
    {"contact": "friction-box"},
    {"contact": "anitescu-potra"},
    {"contact": "no-slip"},
    {"solver": "nsgs"},
    {"stepper": "rattle"},
)


def test_certificates_of_random_scenes_are_what_their_recordings_say(tmp_path: pathlib.Path) -> None:
    paths, laws, contacts = [], set(), 0
    for seed in range(12):
        path = tmp_path / f"{seed}.npz"
        record(path, stiction.Model.from_string(random_scene(seed, True)), 80, **WAYS[seed % len(WAYS)])
        with np.load(path) as r:
            laws |= set(r["row_law_names"][r["row_law"]])
            contacts += len(r["contact_gap"])
        paths.append(path)
    for seed, stepper in enumerate(("acceleration", "event-driven") * 2):
        path = tmp_path / f"{seed}-{stepper}.npz"
        record(path, stiction.Model.from_string(random_scene(seed, False)), 60, stepper=stepper)
        paths.append(path)
    assert laws == {"limit", "friction", "equality", "action"} and contacts > 1000
    judged = recheck(*paths)
    assert judged.returncode == 0 and judged.stderr == "", judged.stdout + judged.stderr


def test_random_scenes_that_contradict_themselves_are_solved_under_impulses_at_both_ends() -> None:
    # Ropes, closures, and links that overlap at their own joints: no pose obeys all of them, and parts of the steps are of first order.
    handed = 0
    for seed in (1, 10, 11, 26):
        sim = stiction.Simulation(stiction.Model.from_string(random_scene(seed, True)), stepper="rattle")
        energy = 0.0
        for step in range(60):
            sim.ctrl[:] = np.sin(0.05 * step)
            report = sim.step()
            assert report.solved, (seed, step, report)
            # Motors of a newton metre on links of some kilograms.
            assert report.kinetic_energy <= 2.0 * energy + 5.0, (seed, step, report)
            energy = report.kinetic_energy
            handed += report.hand_backs["unsettled"]
    assert handed > 0


def test_the_rows_of_a_report_obey_their_laws_and_are_named() -> None:
    model = stiction.Model.from_string(random_scene(8, True))
    # One act of each row in a step, so that its sums obey the laws too.
    sim = stiction.Simulation(model, stepper="time-stepping")
    seen = set()
    for step in range(100):
        sim.ctrl[:] = np.sin(0.05 * step)
        report = sim.step()
        rows = report.row_forces
        speed = rows["velocity"] + rows["bias"] + rows["compliance"] * rows["impulse"]
        below, above = rows["impulse"] - rows["lower"], rows["upper"] - rows["impulse"]
        assert (np.minimum(below, above) >= -1e-9).all()
        assert report.solved
        assert (np.minimum(below, 1.0) * speed <= 1e-9).all() and (np.minimum(above, 1.0) * speed >= -1e-9).all()
        assert rows["work"] == pytest.approx(0.5 * rows["impulse"] * (rows["start"] + rows["after"]), rel=1e-15, abs=0)
        # Friction opposes the velocity after the step; only the one before may have the same direction.
        assert ((rows["impulse"] * rows["velocity"])[rows["law"] == "friction"] <= 1e-12).all()
        seen |= {(row["law"], model.source_names(row["kind"])[row["index"]]) for row in rows}
    assert {("equality", "tie"), ("friction", "tendon"), ("action", "tendon")} <= seen
    assert any(law == "limit" for law, _ in seen)
    with pytest.raises(stiction.StictionError, match='no kind "wheel"'):
        model.source_names("wheel")


@pytest.mark.parametrize(
    "name",
    ["approach", "approach_angular", "cone_violation", "complementarity", "dissipation", "bilateral_velocity_angular", "contact_work"],
)
def test_a_field_that_is_lowered_or_raised_is_named_with_its_step(recording: pathlib.Path, name: str) -> None:
    array, steps = f"certificate_{name}", []
    for difference, verdict in ((-1e-6, "UNDERSTATED"), (1e-6, "OVERSTATED")):

        def change(r: Arrays, difference: float = difference) -> None:
            step = worst(r, array)
            r[array][step] += difference
            steps.append(step)

        judged = recheck(altered(recording, change))
        assert judged.returncode == 1
        (line,) = [line for line in judged.stdout.splitlines() if "STATED" in line]
        assert line.split()[0] == name and f"{verdict} in step {steps[-1]}:" in line, line


@pytest.mark.parametrize(
    ("array", "law", "fields"),
    [
        ("row_impulse", "limit", {"contact_work"}),
        ("row_impulse", "friction", {"contact_work", "work_friction"}),
        ("row_velocity", "equality", {"equality", "bilateral_velocity_angular"}),
        ("row_velocity", "limit", {"complementarity"}),
        ("row_after", "limit", {"contact_work"}),
        ("row_upper", "friction", {"dissipation"}),
        ("row_compliance", "action", {"action"}),
        ("contact_impulse", None, {"contact_normal_work,", "contact_work,"}),
        ("contact_velocity", None, {"complementarity"}),
        ("contact_after", None, {"contact_work,"}),
        ("contact_slip", None, {"sticking_slip"}),
    ],
)
def test_an_array_that_is_changed_shows_in_the_fields_that_depend_on_it(
    recording: pathlib.Path, array: str, law: str | None, fields: set[str]
) -> None:
    steps = []

    def change(r: Arrays) -> None:
        kind = array.split("_")[0]
        values = np.abs(r[f"{kind}_impulse"].reshape(len(r[array]), -1)[:, 0])
        if law is not None:
            values = np.where(r["row_law_names"][r["row_law"]] == law, values, -1.0)
        if law == "friction":
            # The bound of what sticks may be larger.
            values = np.where(np.abs(r["row_velocity"]) > 1e-6, values, -1.0)
        place = int(np.argmax(values))
        numbers = r[array].reshape(len(r[array]), -1)[place]
        numbers[0] = 1.5 * numbers[0] + 0.5
        pointer = r[f"{kind}_ptr"]
        steps.append(int(np.searchsorted(pointer, place, side="right")) - 1)

    judged = recheck(altered(recording, change))
    assert judged.returncode == 1, judged.stdout
    wrong = [line for line in judged.stdout.splitlines() if "STATED" in line]
    assert fields <= {line.split()[0] for line in wrong}, judged.stdout
    assert all(f" in step {steps[0]}:" in line for line in wrong), judged.stdout


def test_a_sound_recording_passes_and_a_copy_of_it_too(recording: pathlib.Path) -> None:
    assert recheck(recording, altered(recording, lambda r: None)).returncode == 0


def test_what_is_no_recording_is_told_in_one_line_with_the_array(recording: pathlib.Path, tmp_path: pathlib.Path) -> None:
    content = recording.read_bytes()

    def file(name: str, content: bytes) -> pathlib.Path:
        path = tmp_path / name
        path.write_bytes(content)
        return path

    def changed(name: str, change: Callable[[Arrays], object]) -> pathlib.Path:
        return file(f"{name}.npz", altered(recording, lambda r: (change(r), None)[1]).read_bytes())

    def put(name: str, value: float) -> Callable[[Arrays], object]:
        return lambda r: r[name].reshape(-1).__setitem__(3, value)

    # An archive of which the bytes of one array are lost.
    with zipfile.ZipFile(recording) as archive:
        offset = archive.getinfo("row_impulse.npy").header_offset
    torn = bytearray(content)
    torn[offset + 150 : offset + 400] = b"x" * 250
    cases = [
        (tmp_path / "absent.npz", "not an archive"),
        (file("empty.npz", b""), "not an archive"),
        (file("text.npz", b"<mujoco/>"), "not an archive"),
        (file("cut.npz", content[: len(content) // 2]), "not an archive"),
        (file("torn.npz", bytes(torn)), "array 'row_impulse' cannot be read"),
        (changed("old", lambda r: r.update(format=np.int64(7))), "array 'format' is 7, and layout 13 is needed"),
        (changed("less", lambda r: r.pop("row_upper")), "array 'row_upper' is missing"),
        (changed("nan", put("contact_velocity", np.nan)), "array 'contact_velocity' has the number nan at [1, 0]"),
        (changed("inf", put("row_impulse", np.inf)), "array 'row_impulse' has the number inf at [3]"),
        (changed("bound", put("row_lower", 1.0)), "array 'row_lower' has the number 1.0 at [3]"),
        (changed("short", lambda r: r.update(row_bias=r["row_bias"][:-1])), "array 'row_bias' has the shape"),
        (changed("index", put("row_source", 1e6)), "array 'row_source' has an index that is not one of"),
        (changed("ptr", put("row_ptr", 1e6)), "array 'row_ptr' does not rise"),
        (changed("text-type", lambda r: r.update(energy=r["energy"].astype(str))), "array 'energy' has elements of type"),
    ]
    for path, problem in cases:
        judged = recheck(path)
        assert judged.returncode == 2, (path, judged.stdout + judged.stderr)
        (line,) = judged.stderr.splitlines()
        assert line.startswith(f"{path}: ") and problem in line, line
