"""Solves complementarity problems, linear and with friction cones, and prints what the problem says of the answer."""

import numpy as np

import stiction

# 0 <= z  perp  [2 1; 1 2] z + (-5, -6) >= 0
res = stiction.solve_lcp([[2, 1], [1, 2]], [-5, -6])
print(f"{res.status}, residual {res.residual:.1e}: z = {res.z}, w = {res.w}")

# A body of 1 kg that slides on the ground at (3, 4) m/s and falls at 1 m/s, friction 0.3: the impulse opposes sliding.
res = stiction.solve_ncp(np.eye(3), [-1, 3, 4], 0.3)
print(f"{res.status}, residual {res.residual:.1e}: impulse {res.z} N s, velocity after it {res.w} m/s")

print("solvers:", ", ".join(entry["name"] for entry in stiction.solvers()))
