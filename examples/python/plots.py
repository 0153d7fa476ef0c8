"""Energy, residual and contact force of a run as a picture, and the run as a page."""

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt

import stiction
import stiction.plot

sim = stiction.Simulation(stiction.Model.from_file("scenes/drop_stack.xml"), record=True)
reports = [sim.step() for _ in range(1000)]

figure, axes = plt.subplots(3, layout="constrained", figsize=(7, 8))
stiction.plot.energy(reports, axes[0])
stiction.plot.residual(reports, axes[1])
stiction.plot.forces(reports, sim.model, sim.model.body_names[1], axes[2])
figure.savefig("drop_stack.png")
sim.save("drop_stack.html")
print("drop_stack.png and drop_stack.html are written")
