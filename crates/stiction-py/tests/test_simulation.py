"""Simulations: state by arrays, access by name, read-out, snapshots, recordings."""

from __future__ import annotations

import copy
import multiprocessing
import os
import pathlib
import pickle
import random
import subprocess
import sys

from typing import Any

import numpy as np
import pytest

import stiction

DROP = """<mujoco>
  <compiler angle="radian"/>
  <option timestep="0.001"/>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 1" friction="0.5"/>
    <body name="box" pos="0 0 0.3"><freejoint name="free"/>
      <geom name="box" type="box" size="0.1 0.1 0.1" mass="2" friction="0.5"/></body>
    <body name="arm" pos="2 0 1"><joint name="hinge" axis="0 1 0" range="-1 1" limited="true"/>
      <geom name="arm" type="capsule" fromto="0 0 0 0.5 0 0" size="0.04" mass="1"/></body>
  </worldbody>
  <actuator><motor name="motor" joint="hinge" ctrlrange="-3 3"/></actuator>
</mujoco>"""


def drop() -> stiction.Model:
    return stiction.Model.from_string(DROP, "drop.xml")


def test_a_box_falls_lands_and_is_carried_with_its_weight() -> None:
    sim = stiction.Simulation(drop())
    report = sim.step()
    assert sim.qvel[2] == pytest.approx(-9.81e-3)
    while sim.time < 1.0:
        report = sim.step()
        assert report.solved and report.status == "Solved"
    contacts = report.contacts
    mine = contacts[contacts["body2"] == sim.body("box").index]
    sign = 1.0
    if len(mine) == 0:
        mine, sign = contacts[contacts["body1"] == sim.body("box").index], -1.0
    assert sign * mine["force"].sum(axis=0) == pytest.approx([0, 0, 2 * 9.81], abs=1e-9)
    assert set(mine["mode"]) == {"stick"} and set(mine["law"]) == {"coulomb"}
    assert np.allclose(mine["force"] * sim.timestep, mine["impulse"])
    pair = report.pairs[0]
    assert pair["normal_force"] == pytest.approx(2 * 9.81) and pair["pressing"] == 4
    assert sim.body("box").position == pytest.approx([0, 0, 0.1], abs=1e-9)
    assert report.certificate.residual < 1e-9


def test_writing_into_the_arrays_sets_the_state_and_kept_arrays_show_the_next_one() -> None:
    sim = stiction.Simulation(drop())
    q = sim.qpos
    q[2] = 1.0
    sim.qvel = 0.0
    sim.qvel[0] = 3.0
    sim.step()
    assert q is sim.qpos and q[0] == pytest.approx(3e-3) and q[2] == pytest.approx(1.0, abs=1e-4)
    with pytest.raises(ValueError):
        sim.qpos = np.zeros(3)
    # Names give parts of the same arrays.
    sim.joint("hinge").qpos[0] = 0.5
    assert sim.qpos[7] == 0.5
    sim.actuator("motor").ctrl = 2.0
    assert sim.ctrl[0] == 2.0 and sim.actuator("motor").control_range == [-3.0, 3.0]


def test_bodies_joints_and_geoms_are_found_by_name_and_misspelt_ones_are_refused_with_a_hint() -> None:
    sim = stiction.Simulation(drop())
    body = sim.body("box")
    assert body.mass == pytest.approx(2.0) and body.quaternion == pytest.approx([1, 0, 0, 0])
    assert body.rotation == pytest.approx(np.eye(3))
    sim.qvel[3:6] = [0, 0, 2.0]
    assert body.angular_velocity == pytest.approx([0, 0, 2.0])
    assert sim.joint("hinge").kind == "hinge" and sim.joint("hinge").range == [-1.0, 1.0]
    assert sim.geom("floor").body == "world" and sim.geom("box").friction == 0.5
    with pytest.raises(stiction.StictionError, match="there is no body 'bax'; did you mean 'box'"):
        sim.body("bax")


def test_a_ball_bounces_as_high_as_restitution_says() -> None:
    text = """<mujoco><worldbody><geom type="plane" size="5 5 1"/>
      <body pos="0 0 1.1"><freejoint/><geom type="sphere" size="0.1"/></body></worldbody></mujoco>"""
    sim = stiction.Simulation(stiction.Model.from_string(text), dt=1e-3, restitution=0.8)
    sim.step()
    while sim.qvel[2] < 0:
        sim.step()
    while sim.qvel[2] > 0:
        sim.step()
    assert sim.qpos[2] - 0.1 == pytest.approx(0.64, rel=5e-3)
    with pytest.raises(stiction.StictionError, match="impact law 'x' is unknown; available: poisson, newton"):
        stiction.Simulation(drop(), impact="x")


def test_redundant_coordinates_give_the_same_motion() -> None:
    model = stiction.Model.builtin("swing_up")
    free = model.redundant()
    assert (model.nv, free.nv) == (1, 6)
    sims = [stiction.Simulation(m, dt=1e-3) for m in (model, free)]
    for sim in sims:
        sim.ctrl[:] = 1.0
        for _ in range(500):
            assert sim.step().certificate.bilateral < 1e-8
    positions = [sim.body("rod").quaternion for sim in sims]
    assert abs(positions[0] @ positions[1]) == pytest.approx(1.0, abs=1e-6)


def test_applied_forces_move_bodies_as_newton_says() -> None:
    sim = stiction.Simulation(drop())
    sim.body("box").applied_wrench[:3] = [4.0, 0, 2 * 9.81]
    sim.joint("hinge").applied_force[0] = 0.0
    for _ in range(100):
        sim.step()
    assert sim.qvel[:3] == pytest.approx([4.0 / 2 * 0.1, 0, 0], abs=1e-12)
    sim.qfrc_applied[0] = -4.0
    sim.step()
    assert sim.qvel[0] == pytest.approx(0.2, abs=1e-12)


def box_on_lift(dt: float) -> stiction.Simulation:
    """A box that rests on a mocap body."""
    text = """<mujoco><worldbody>
      <body name="lift" mocap="true" pos="0 0 0.1"><geom type="box" size="0.5 0.5 0.1"/></body>
      <body name="box" pos="0 0 0.3"><freejoint/><geom type="box" size="0.1 0.1 0.1" mass="1"/></body>
    </worldbody></mujoco>"""
    return stiction.Simulation(stiction.Model.from_string(text), dt=dt)


def test_a_mocap_body_carries_a_box_along() -> None:
    sim = box_on_lift(1e-3)
    assert sim.mocap_pos.shape == (1, 3) and sim.model.mocap_names == ["lift"]
    sim.mocap_linvel[0, 2] = 0.2
    for _ in range(500):
        sim.step()
    assert sim.mocap_pos[0, 2] == pytest.approx(0.2) and sim.body("box").position[2] == pytest.approx(0.4, abs=1e-6)
    assert sim.body("box").velocity[2] == pytest.approx(0.2)
    assert sim.body("lift").velocity[2] == pytest.approx(0.2)


def test_a_mocap_body_written_before_each_step_carries_a_box_along_and_one_that_is_teleported_does_not() -> None:
    sim = box_on_lift(1e-2)
    for step in range(1, 51):
        sim.mocap_pos[0, 2] = 0.1 + 0.002 * step
        sim.step()
        assert sim.body("lift").velocity[2] == pytest.approx(0.2, abs=1e-9)
        assert sim.body("box").velocity[2] == pytest.approx(0.2, abs=1e-9)
    assert sim.mocap_pos[0, 2] == 0.1 + 0.002 * 50 and not sim.mocap_linvel.any()
    assert sim.body("box").position[2] == pytest.approx(0.4, abs=1e-9)
    sim.teleport_mocap("lift", position=[0, 0, -1])
    sim.step()
    assert sim.mocap_pos[0].tolist() == [0, 0, -1] and sim.body("lift").velocity[2] == 0
    assert sim.body("box").velocity[2] == pytest.approx(0.2 - 0.0981, abs=1e-9)
    with pytest.raises(KeyError, match="lift"):
        sim.teleport_mocap("left")
    with pytest.raises(AttributeError, match="mocap_linvel"):
        sim.mocap_vel = [[0, 0, 0, 0, 0, 1]]
    with pytest.raises(AttributeError, match="mocap_angvel"):
        sim.mocap_vel


def test_energy_is_kinetic_and_potential() -> None:
    sim = stiction.Simulation(drop())
    sim.qvel[0] = 2.0
    kinetic, potential = sim.energy()
    assert kinetic == pytest.approx(0.5 * 2 * 4) and potential == pytest.approx(2 * 9.81 * 0.3 + 9.81 * 1.0)


def test_what_is_not_a_number_is_refused_by_name_and_the_state_is_kept() -> None:
    sim = stiction.Simulation(drop())
    sim.qvel[1] = np.nan
    with pytest.raises(stiction.StictionError, match="box"):
        sim.step()
    assert sim.step_number == 0 and np.isnan(sim.qvel[1])


def test_unknown_settings_and_solvers_that_do_not_fit_are_refused() -> None:
    with pytest.raises(stiction.StictionError, match="contact model 'con' is unknown.*did you mean"):
        stiction.Simulation(drop(), contact="con")
    with pytest.raises(stiction.StictionError, match="cannot solve contact model 'cone'; available: .*chain"):
        stiction.Simulation(drop(), contact="cone", solver="lemke")
    with pytest.raises(TypeError, match="'contacts' is no setting"):
        stiction.Simulation(drop(), contacts="cone")
    with pytest.raises(stiction.StictionError, match="timestep is -1"):
        stiction.Simulation(drop(), dt=-1)
    with pytest.raises(stiction.StictionError, match="timestep is nan"):
        stiction.Simulation(drop(), dt=float("nan"))


def test_settings_of_a_solver_are_part_of_its_name() -> None:
    sim = stiction.Simulation(drop(), solver="nsgs max_iterations=200")
    assert sim.solver == "nsgs max_iterations=200" and sim.step().solved
    cone = stiction.ExactCone(replacement="viscous 2", solver="chain tolerance=1e-8")
    assert stiction.Simulation(drop(), contact=cone).solver == "chain tolerance=1e-8"
    for contact, message in [
        (stiction.ExactCone(solver="nsgs max_iteration=1"), "has no setting 'max_iteration'.*did you mean"),
        (stiction.ExactCone(solver="nsgs max_iterations=many"), "max_iterations=many"),
        (stiction.ExactCone(replacement="viscid 2"), "'?\"?viscid 2"),
    ]:
        with pytest.raises(ValueError, match=message) as refused:
            stiction.Simulation(drop(), contact=contact)
        assert "at line" not in str(refused.value)


def test_an_attribute_that_there_is_not_is_refused_with_a_suggestion() -> None:
    sim = stiction.Simulation(drop())
    with pytest.raises(AttributeError, match="no attribute 'qpso'.*did you mean 'qpos'"):
        sim.qpso = np.zeros(7)  # type: ignore[attr-defined]
    sim.time = 1.0
    assert sim.time == 1.0


def test_views_are_as_the_scene_says_but_for_what_can_be_set(humanoid: stiction.Model) -> None:
    sim = stiction.Simulation(humanoid)
    geom, body = sim.geom(humanoid.geom_names[0]), sim.body(humanoid.body_names[1])
    joint, actuator = sim.joint(humanoid.joint_names[0]), sim.actuator(humanoid.actuator_names[0])
    for view, name in ((geom, "friction"), (geom, "frction"), (body, "position"), (joint, "range"), (actuator, "control_range")):
        with pytest.raises(AttributeError, match=name):
            setattr(view, name, 0.1)
    actuator.ctrl = 0.25
    assert sim.ctrl[0] == 0.25


@pytest.mark.parametrize("name", ["qpos", "ctrl", "xfrc_applied"])
def test_an_array_of_the_state_that_was_resized_is_refused_by_name(humanoid: stiction.Model, name: str) -> None:
    sim = stiction.Simulation(humanoid)
    array = getattr(sim, name)
    array.resize((1,) if array.ndim == 1 else (1, 6), refcheck=False)
    with pytest.raises(stiction.StictionError, match=name):
        sim.step()


@pytest.mark.parametrize(
    ("wrong", "word"),
    [
        (np.array([1j, 0]), "complex"),
        (np.array(["2026-01-01", "2026-01-02"], dtype="datetime64[D]"), "datetime"),
        (np.ma.masked_array([1.0, 2.0], mask=[True, False]), "masked"),
        (np.array([1.0, None]), "object"),
        (np.array(["1", "2"]), "<U1"),
    ],
)
def test_arrays_that_hold_no_real_numbers_are_refused(wrong: Any, word: str) -> None:
    with pytest.raises(stiction.StictionError, match=word):
        stiction.solve_lcp(np.eye(2), wrong)


def test_the_energy_account_of_a_sliding_box_is_all_friction_and_closes() -> None:
    text = """<mujoco><option timestep="0.005"/><worldbody><geom type="plane" size="1 1 1" friction="0.4"/>
      <body pos="0 0 0.1"><freejoint/><geom type="box" size=".2 .2 .1" mass="2" friction="0.4"/></body></worldbody></mujoco>"""
    sim = stiction.Simulation(stiction.Model.from_string(text))
    sim.qvel = [1.5, 0, 0, 0, 0, 0]
    start = sum(sim.energy())
    reports = [sim.step() for _ in range(200)]
    work = sim.work
    assert work.friction == pytest.approx(-0.5 * 2 * 1.5**2, abs=1e-12)
    assert work.total == pytest.approx(sum(sim.energy()) - start, abs=1e-12)
    assert abs(work.numerical) < 1e-12 and work.drives == work.applied == 0.0
    assert set(work.as_dict()) == {name for name in dir(work) if not name.startswith("_")} - {"total", "as_dict"}
    for report in reports:
        contacts = report.contacts
        assert contacts["friction_work"].sum() == pytest.approx(report.work.friction, abs=1e-15)
        assert report.work.total == pytest.approx(report.certificate.energy_change, abs=1e-15)
        assert not np.isnan(contacts["margin"]).any() and not np.isnan(report.pairs["margin"]).any()
    sim.reset()
    assert sim.work.total == 0.0


def test_contacts_that_stick_tell_how_far_they_shift_on_a_table_that_turns() -> None:
    text = """<mujoco><option timestep="0.01"/><custom><text name="stiction:stepper" data="STEPPER"/></custom><worldbody>
      <body name="table"><joint type="hinge" axis="0 0 1"/><geom type="cylinder" size="0.6 0.02" mass="10" friction="0.9"/></body>
      <body name="box" pos="0.3 0 0.07"><freejoint/><geom type="box" size="0.05 0.05 0.05" friction="0.9"/></body></worldbody>
      <keyframe><key name="start" qpos="0 .3 0 .07 1 0 0 0" qvel="2 0 .6 0 0 0 2"/></keyframe></mujoco>"""
    for stepper, least, most in (("time-stepping", 5e-3, 5e-2), ("rattle", 0.0, 1e-10)):
        sim = stiction.Simulation(stiction.Model.from_string(text.replace("STEPPER", stepper)))
        for _ in range(200):
            report = sim.step()
        assert len(report.contacts) == 4 and (report.contacts["mode"] == "stick").all()
        assert report.contacts["shift"].max() == report.certificate.sticking_shift
        assert report.contacts["slip"].max() == report.certificate.sticking_slip
        away = abs(np.hypot(*sim.qpos[1:3]) - 0.3)
        assert least <= away <= most and least <= report.contacts["shift"].max() <= most


def test_limits_margins_and_mechanisms_are_read_out() -> None:
    text = """<mujoco><worldbody><body><joint name="hinge" axis="0 1 0" limited="true" range="-0.1 0.1"/>
      <geom type="capsule" fromto="0 0 0 1 0 0" size="0.05" mass="1"/></body></worldbody></mujoco>"""
    sim = stiction.Simulation(stiction.Model.from_string(text), dt=1e-3)
    for _ in range(2000):
        sim.step()
    (limit,) = sim.limit_forces()
    assert limit["name"] == "hinge" and limit["kind"] == "joint" and limit["force"] > 1.0
    (joint,) = sim.joint_forces()
    assert joint["kind"] == "joint" and joint["name"] == "hinge"
    np.testing.assert_allclose(joint["force"], [0.0, 0.0, 9.81], atol=1e-6)
    arm = np.cross(joint["point"], [0.0, 0.0, 9.81])
    # The limit carries the moment of the weight at half a metre, on a slope of 0.1 degrees.
    np.testing.assert_allclose(joint["moment"] - arm, [0.0, -9.81 * 0.5 * np.cos(np.radians(0.1)), 0.0], atol=1e-6)
    assert sim.actuator_forces().shape == sim.tendon_tensions().shape == (0,)
    assert sim.mobility()["mobility"] == 1 and sim.assemble()["after"] == 0.0
    grasp = stiction.Simulation(stiction.Model.builtin("incline"))
    for _ in range(20):
        report = grasp.step()
    names = grasp.model.geom_names
    first = report.pairs[0]
    margins = grasp.pair_margins(names[first["geom1"]], names[first["geom2"]])
    assert margins is not None and margins[0] >= first["margin"] - 1e-6
    with pytest.raises(stiction.StictionError, match="geom"):
        grasp.pair_margins("nothing", names[0])


def test_every_contact_model_runs_by_name_or_with_all_its_settings() -> None:
    for contact in ("cone", "stewart-trinkle", "friction-box", "no-slip", "frictionless", "convex"):
        sim = stiction.Simulation(drop(), contact=contact)
        assert sim.contact_model == contact
        for _ in range(400):
            sim.step()
        assert sim.qpos[2] == pytest.approx(0.1, abs=1e-6)
    sim = stiction.Simulation(drop(), stiction.Settings(contact=stiction.Polyhedral(directions=8)))
    assert sim.contact_model == "stewart-trinkle"
    with pytest.raises(stiction.StictionError, match="solver = 'x' beside a whole formulation"):
        stiction.Simulation(drop(), contact=stiction.NoSlip(), solver="x")


def cubes() -> stiction.Model:
    """Three cubes dropped with a tilt onto each other, a capsule and a motor."""
    bodies = "".join(
        f'<body name="cube{i}" pos="0.0{i} 0 {0.3 + 0.45 * i}" euler="5 {3 * i} 0"><freejoint/>'
        '<geom type="box" size="0.1 0.1 0.1" mass="1"/></body>'
        for i in range(3)
    )
    text = f"""<mujoco><compiler angle="degree"/><option timestep="0.001"/><worldbody>
      <geom type="plane" size="5 5 1"/>{bodies}
      <body name="capsule" pos="0.3 0 0.5" euler="0 80 0"><freejoint/><geom type="capsule" size="0.05 0.1" mass="1"/></body>
      <body name="arm" pos="1 0 0.2"><joint name="hinge" axis="0 1 0"/>
        <geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.05"/></body>
    </worldbody><actuator><motor name="motor" joint="hinge"/></actuator></mujoco>"""
    return stiction.Model.from_string(text)


CONTINUE = """
import pickle, sys
import stiction
model, snapshot = pickle.load(open(sys.argv[1], "rb"))
sim = stiction.Simulation(model)
sim.restore(snapshot)
for _ in range(200):
    sim.step()
print(sim.hash())
"""


def test_the_future_is_a_function_of_the_snapshot_here_and_in_another_process(tmp_path: pathlib.Path) -> None:
    model = cubes()
    sim = stiction.Simulation(model)
    sim.ctrl[0] = 1.5
    for _ in range(500):
        sim.step()
    snapshot = sim.snapshot()

    def ahead() -> str:
        for _ in range(200):
            sim.step()
        return sim.hash()

    first = ahead()
    sim.restore(snapshot)
    assert ahead() == first
    for _ in range(300):
        sim.step()
    sim.restore(snapshot)
    assert ahead() == first
    file = tmp_path / "state.pickle"
    file.write_bytes(pickle.dumps((model, snapshot)))
    answer = subprocess.run([sys.executable, "-c", CONTINUE, str(file)], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == first
    assert stiction.Snapshot.from_bytes(snapshot.to_bytes()) == snapshot
    # A simulation pickles as a whole.
    sim.restore(snapshot)
    twin = pickle.loads(pickle.dumps(sim))
    assert twin.hash() == sim.hash() and type(twin) is stiction.Simulation
    assert [twin.step().pivots for _ in range(20)] == [sim.step().pivots for _ in range(20)]
    assert twin.hash() == sim.hash()


def hash_after_the_drop(sim: stiction.Simulation) -> str:
    for _ in range(200):
        sim.step()
    return sim.hash()


# N16 (openai/mujoco-py #729): copies of a simulation, in this process and in pools of others.
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_all_copies_of_a_simulation_in_mid_drop_have_one_future_in_every_kind_of_process() -> None:
    sim = stiction.Simulation(cubes())
    for _ in range(40):
        sim.step()
    copies = [copy.deepcopy(sim), copy.copy(sim), pickle.loads(pickle.dumps(sim))]
    pooled = []
    for method in multiprocessing.get_all_start_methods():
        with multiprocessing.get_context(method).Pool(2) as pool:
            pooled += pool.map(hash_after_the_drop, [sim] * 4, chunksize=1)
    # Nothing of this has moved the original, and no copy moves another.
    now = sim.hash()
    assert all(each.hash() == now for each in copies)
    hashes = {hash_after_the_drop(each) for each in copies} | set(pooled)
    assert sim.hash() == now and hashes == {hash_after_the_drop(sim)} and len(pooled) >= 4


def test_a_pickled_simulation_that_records_goes_on_recording(tmp_path: pathlib.Path) -> None:
    sim = stiction.Simulation(stiction.Model.builtin("incline"), record=True)
    for _ in range(5):
        sim.step()
    twin = pickle.loads(pickle.dumps(sim))
    assert twin.recording
    for _ in range(3):
        twin.step()
    twin.save(tmp_path / "rest.npz")
    rest = np.load(tmp_path / "rest.npz")
    assert rest["time0"] == pytest.approx(sim.time) and len(rest["time"]) == 3
    np.testing.assert_array_equal(rest["qpos0"], sim.qpos)


def test_who_was_created_first_changes_no_bit() -> None:
    floor = '<body name="floor"><geom name="floor" type="box" size="5 5 0.5" pos="0 0 -0.5"/></body>'
    cube = '<body name="cube" pos="0 0 0.8" euler="3 5 0"><freejoint/><geom name="cube" type="box" size="0.5 0.5 0.5" mass="1"/></body>'
    hashes = []
    for order in (floor + cube, cube + floor):
        text = f'<mujoco><option timestep="0.0166" gravity="0 0 -150"/><worldbody>{order}</worldbody></mujoco>'
        sim = stiction.Simulation(stiction.Model.from_string(text))
        states = []
        for _ in range(60):
            sim.step()
            states.append(sim.hash())
        hashes.append(states)
    assert hashes[0] == hashes[1]


def test_the_state_hash_is_the_command_lines(grasp: stiction.Model) -> None:
    sim = stiction.Simulation(grasp)
    for _ in range(10_000):
        sim.step()
    # The figure in the README.
    readme = (pathlib.Path(__file__).resolve().parents[3] / "README.md").read_text()
    assert f"state hash     {sim.hash()}" in readme


def test_models_pickle_with_what_their_file_said(humanoid: stiction.Model) -> None:
    twin = pickle.loads(pickle.dumps(humanoid))
    assert twin.body_names == humanoid.body_names and twin.load_report == humanoid.load_report
    assert repr(twin) == repr(humanoid)
    with pytest.raises(stiction.StictionError, match="not a pickled model"):
        stiction.Model._from_bytes(b"x")


def test_every_damaged_pickle_of_a_model_is_refused(humanoid: stiction.Model) -> None:
    (content,) = humanoid.__reduce__()[1]
    source = random.Random(3)
    for _ in range(int(os.environ.get("STICTION_DAMAGES", "2000"))):
        damaged = bytearray(content)
        for _ in range(source.randint(1, 4)):
            damaged[source.randrange(len(damaged))] ^= 1 << source.randrange(8)
        if source.random() < 0.2:
            del damaged[source.randrange(len(damaged)) :]
        if bytes(damaged) == content:
            continue
        with pytest.raises(stiction.StictionError, match="not a pickled model") as refusal:
            stiction.Model._from_bytes(bytes(damaged))
        assert len(str(refusal.value)) <= 300 and "\n" not in str(refusal.value)


def test_a_bad_file_is_refused_with_line_element_and_value() -> None:
    text = '<mujoco>\n<worldbody>\n<geom type="sphere" size="-1"/>\n</worldbody>\n</mujoco>'
    with pytest.raises(stiction.StictionError, match="bad.xml:3.*-1"):
        stiction.Model.from_string(text, "bad.xml")
    with pytest.raises(stiction.StictionError, match="nowhere.xml"):
        stiction.Model.from_file("nowhere.xml")


def test_the_load_report_lists_what_was_ignored() -> None:
    text = '<mujoco><worldbody><geom type="sphere" size="1" solref="0.1 1"/></worldbody></mujoco>'
    with pytest.warns(UserWarning, match="without effect: soft.xml:.*model.load_report"):
        report = stiction.Model.from_string(text, "soft.xml").load_report
    (entry,) = [entry for entry in report if entry["attribute"] == "solref"]
    assert entry["kind"] == "ignored" and entry["file"] == "soft.xml" and entry["line"] == 1


def test_recordings_are_pages_and_archives(tmp_path: pathlib.Path) -> None:
    sim = stiction.Simulation(drop(), record=True)
    for _ in range(400):
        sim.step()
    sim.save(tmp_path / "a.npz")
    with np.load(tmp_path / "a.npz") as archive:
        assert archive["qpos"].shape == (400, 8) and archive["qpos"][-1] == pytest.approx(sim.qpos, abs=0)
    sim.save(str(tmp_path / "a.html"))
    assert "</html>" in (tmp_path / "a.html").read_text()
    page = sim._repr_html_()
    assert page is not None and page.startswith("<iframe srcdoc=")
    with pytest.raises(stiction.StictionError, match=".html or .npz"):
        sim.save(tmp_path / "a.txt")
    with pytest.raises(stiction.StictionError, match="record=True"):
        stiction.Simulation(drop()).save(tmp_path / "b.npz")
    sim.reset()
    assert sim.time == 0.0 and sim.qpos[2] == 0.3


def test_reports_say_in_dicts_what_their_attributes_say() -> None:
    sim = stiction.Simulation(drop())
    for _ in range(300):
        report = sim.step()
    for thing in (report, report.certificate, report.work):
        for name, value in thing.as_dict().items():
            found = getattr(thing, name)
            if name == "contacts":
                assert len(found) == value
            elif name in ("certificate", "work"):
                assert found.as_dict() == value
            else:
                assert found == value, name
    assert "t = 0.3" in repr(report)


def test_the_scenes_of_the_package_are_those_of_the_folder() -> None:
    folder = pathlib.Path(__file__).resolve().parents[3] / "scenes"
    assert stiction.Model.builtin_names() == sorted(f.stem for f in folder.glob("*.xml"))
    assert stiction.Model.builtin("grasp").nv == 14
    with pytest.raises(stiction.StictionError, match="did you mean"):
        stiction.Model.builtin("grsp")
