"""Builds a scene in text, drops a box on a floor and prints the report of some steps.

A cube of 0.2 m edge and 1 kg starts 0.5 m above the floor, turned about its vertical axis. It lands after
sqrt(2 * 0.5 / g) = 0.319 s and rests, carried by four contacts.
"""

import stiction

SCENE = """
<mujoco model="drop">
  <compiler angle="radian"/>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 1"/>
    <body name="cube" pos="0 0 0.6" euler="0 0 0.3">
      <freejoint/>
      <geom name="cube" type="box" size="0.1 0.1 0.1" mass="1" friction="0.5"/>
    </body>
  </worldbody>
</mujoco>
"""

sim = stiction.Simulation(stiction.Model.from_string(SCENE), dt=2e-3)
print("time (s)  height (m)  speed (m/s)  contacts  force (N)  residual")
for step in range(1, 251):
    report = sim.step()
    if step % 25 == 0:
        force = abs(report.contacts["force"][:, 2].sum())
        cube = sim.body("cube")
        print(
            f"{report.time:8.3f} {cube.position[2]:11.6f} {cube.velocity[2]:12.6f} {len(report.contacts):9d} "
            f"{force:10.6f} {report.certificate.residual:9.1e}"
        )
