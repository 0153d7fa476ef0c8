"""Simulates many humanoids at once on all processors, and one that cannot be."""

import numpy as np

import stiction

model = stiction.Model.from_file("scenes/humanoid.xml")
rng = np.random.default_rng(0)
batch, steps = 32, 100
qpos = np.tile(stiction.Simulation(model).qpos, (batch, 1))
qpos[:, 2] += rng.uniform(0, 0.2, batch)
qpos[7, 0] = np.nan
ctrl = rng.uniform(-1, 1, (batch, steps, model.nu))

out = stiction.rollout(model, qpos, ctrl=ctrl)
print(out, out.qpos.shape)
print("environment 7:", out.errors[7])
print("heights of the others:", np.delete(out.qpos[:, -1, 2], 7).round(3))
