"""Loads a scene, simulates a second of it and prints what every contact carries."""

import stiction

model = stiction.Model.from_file("scenes/grasp.xml")
sim = stiction.Simulation(model, contact="cone")

report = sim.step()
while report.solved and report.time < 1.0:
    report = sim.step()

names = model.geom_names
for contact in report.contacts:
    x, y, z = contact["force"]
    first, second = names[contact["geom1"]], names[contact["geom2"]]
    print(f"{first} on {second}: ({x:7.3f}, {y:7.3f}, {z:7.3f}) N, {contact['mode']}")
print(f"t = {report.time:.3f} s, {report.status}, {report.certificate.as_dict()}")
