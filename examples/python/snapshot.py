"""Saves a simulation in the middle and continues from there, bit for bit, also after pickling."""

import pickle

import stiction

sim = stiction.Simulation(stiction.Model.from_file("scenes/box_stack.xml"))
for _ in range(100):
    sim.step()
middle = sim.snapshot()

hashes = []
for _ in range(2):
    sim.restore(pickle.loads(pickle.dumps(middle)))
    for _ in range(100):
        sim.step()
    hashes.append(sim.hash())
print("first run", hashes[0], "second run", hashes[1])
assert hashes[0] == hashes[1]
