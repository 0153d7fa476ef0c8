"""Dynamics as functions: mass matrix, bias forces, Jacobian and Delassus operator of a humanoid."""

import numpy as np

import stiction

model = stiction.Model.from_file("scenes/humanoid.xml")
qpos = stiction.Simulation(model).qpos
qvel = np.zeros(model.nv)

M = stiction.mass_matrix(model, qpos)
c = stiction.bias_forces(model, qpos, qvel)
J = stiction.jacobian(model, qpos, "head")
G = stiction.delassus(model, qpos, J[3:])
print(f"{model.nv} degrees of freedom, {model.total_mass:.2f} kg, weight on the root {c[2]:.2f} N")
print(f"largest mode of M {np.linalg.eigvalsh(M)[-1]:.2f}, mobility of the head along z {G[2, 2]:.4f} 1/kg")
