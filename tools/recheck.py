#!/usr/bin/env python3
"""Judges recordings of stiction from outside: NumPy and the arrays of the file, nothing of the engine.

    python3 tools/recheck.py run.npz ...

For every step it computes again, in SI units,

* from impulses and velocities of the contacts: approach, pull, cone_violation, sliding_power, complementarity, dissipation, slip
  and viscous_error; where a contact acts as a force and not at once, from that force and the velocity of the same instant;
* from impulses and the velocities before and after: their work; with those before the step, what normal forces and friction did;
* from the poses after the step and geometry of its own (planes, spheres, capsules and boxes): a lower bound of penetration, for pairs
  of geoms that are in contact at some time of the run;
* from the energies: energy_change, and whether the works by cause add up to it.

A field of the recorded certificate that is less than what is computed here, by more than rounding, is an understatement: it is
printed, and the exit status is 1. More than that is no fault where limits and joint friction, which a recording does not hold row
by row, may be worse than the contacts; where a file says more, the line says so.
"""

import sys
from itertools import product

import numpy as np

ROUNDING = 1e-9  # part of the terms of a difference


def worst_by_step(values, pointer):
    """Largest value of each step's contacts, at least zero."""
    result = np.zeros(len(pointer) - 1)
    steps = np.repeat(np.arange(len(result)), np.diff(pointer))
    np.maximum.at(result, steps, values)
    return result


def contact_terms(r):
    """The certificate's terms of each contact, and the size of what they are differences of."""
    h = float(r["timestep"])
    u, sustained = r["contact_velocity"], r["contact_sustained"]
    # The laws hold of a force at an instant; as an impulse it counts as if it lasted for the step.
    impulse = np.where(np.isfinite(sustained), sustained * h, r["contact_impulse"])
    law = r["law_names"][r["contact_law"]]
    mu, bias, preload = r["contact_mu"], r["contact_bias"], r["contact_preload"]
    normal, rate = impulse[:, 0], u[:, 0] + bias
    viscous = np.where(bias <= 0, h * r["contact_viscosity"], 0.0)
    dry = np.hypot(*(impulse[:, k] + viscous * u[:, k] for k in (1, 2)))
    slip = np.hypot(u[:, 1], u[:, 2])
    power = np.einsum("ij,ij->i", impulse[:, 1:], u[:, 1:]) / h
    pressing = np.maximum(normal, 0.0)
    held = (law == "no-slip") & (normal > 0)
    bounded = np.isfinite(mu) & (law != "viscous")
    bound = np.where(bounded, mu, 0.0) * pressing
    dissipated = (bound + viscous * slip) * slip / h
    terms = {
        "approach": (-rate, np.abs(u[:, 0]) + np.abs(bias)),
        "pull": (-normal / h, np.abs(normal) / h),
        "complementarity": (np.abs((normal - preload) * rate) / h, np.abs(normal) * (np.abs(u[:, 0]) + np.abs(bias)) / h),
        "sliding_power": (power, np.abs(power)),
        "cone_violation": (np.where(bounded | ((law == "no-slip") & ~held), dry - bound, 0.0) / h, (dry + bound) / h),
        "dissipation": (np.where(bounded, dissipated + power, 0.0), dissipated + np.abs(power)),
        "slip": (np.where(held, slip, 0.0), slip),
        "viscous_error": (np.where(law == "viscous", dry, 0.0) / h, dry / h),
    }
    return terms


def works(r):
    """A line about the work of contacts, and whether it is that of their impulses."""
    impulse, at_once = r["contact_impulse"], ~np.isfinite(r["contact_sustained"]).any(axis=1)
    parts = 0.5 * impulse * (r["contact_before"] + r["contact_velocity"])
    short = (np.abs(parts.sum(1) - r["contact_work"]) - ROUNDING * np.abs(parts).sum(1))[at_once]
    sound = not (short > 1e-300).any()
    total = r["contact_work"].sum()
    rest = r["certificate_contact_work"].sum() - total
    line = f"  {'contact_work':<16} {total:.6g} J of contacts, {rest:.3g} J of limits and joint friction"
    return line + ("" if sound else "  NOT THAT OF THE IMPULSES"), sound


def account(r):
    """Lines about the works by cause: of contacts, and of all that changes the energy; and whether they are right."""
    at_once = ~np.isfinite(r["contact_sustained"]).any(axis=1)
    mean = 0.5 * (r["contact_start"] + r["contact_velocity"])
    parts = r["contact_impulse"] * mean
    lines, sound, of_contacts = [], True, 0.0
    for name, columns in (("normal", parts[:, :1]), ("friction", parts[:, 1:])):
        said = r[f"contact_{name}_work"]
        wrong = (np.abs(columns.sum(1) - said) > ROUNDING * np.abs(columns).sum(1) + 1e-300) & at_once
        sound &= not wrong.any()
        of_contacts += said.sum()
        lines.append(f"  {name + '_work':<16} {said.sum():.6g} J of contacts" + ("  NOT THAT OF THE IMPULSES" if wrong.any() else ""))
    works = {name[5:]: r[name] for name in r.files if name.startswith("work_")}
    rest = sum(works[name].sum() for name in ("friction", "impacts", "constraints")) - of_contacts
    lines.append(f"  {'':<16} {rest:.3g} J of limits, joint friction and equalities")
    size = np.sum([np.abs(values) for values in works.values()], axis=0) + np.abs(r["energy"])
    closed = (np.abs(sum(works.values()) - r["certificate_energy_change"]) <= 1e-12 * size + 1e-300).all()
    told = ", ".join(f"{name} {values.sum():.6g}" for name, values in works.items() if values.any())
    lines.append(f"  {'work (J)':<16} {told or 'none'}" + ("" if closed else "  DOES NOT ADD UP"))
    return lines, sound and closed


def rotation(q):
    w, x, y, z = q / np.linalg.norm(q)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def support(shape, size, axes, direction):
    """How far a convex shape reaches from its centre along a direction."""
    if shape == "sphere":
        return size[0]
    if shape == "capsule":
        return size[0] + size[1] * abs(direction @ axes[:, 2])
    return np.abs(direction @ axes) @ size


def overlap(first, second):
    """Least translation that parts two shapes, along the directions tried: a lower bound of what must be called penetration."""
    (kind1, size1, x1, axes1), (kind2, size2, x2, axes2) = first, second
    if kind1 == "plane":
        normal = axes1[:, 2]
        return support(kind2, size2, axes2, normal) - normal @ (x2 - x1)
    apart = x2 - x1
    if {kind1, kind2} == {"sphere"}:
        return size1[0] + size2[0] - np.linalg.norm(apart)
    if {kind1, kind2} != {"box"}:
        return None
    directions = list(axes1.T) + list(axes2.T)
    directions += [np.cross(a, b) for a, b in product(axes1.T, axes2.T)]
    directions = [d / np.linalg.norm(d) for d in directions if np.linalg.norm(d) > 1e-6]
    reach = [support(kind1, size1, axes1, d) + support(kind2, size2, axes2, d) - abs(d @ apart) for d in directions]
    return min(reach)


def penetrations(r):
    """Largest overlap after each step of the pairs that are in contact at some time."""
    pairs = np.unique(np.stack([r["contact_geom1"], r["contact_geom2"]], axis=1), axis=0)
    names = [str(name) for name in r["shape_names"]]
    kinds = [names[kind] for kind in r["geom_type"]]
    simple = {"plane", "sphere", "capsule", "box"}
    pairs = [sorted(map(int, pair), key=lambda g: kinds[g] != "plane") for pair in pairs]
    pairs = [pair for pair in pairs if {kinds[g] for g in pair} <= simple]
    local = [rotation(q) for q in r["geom_quat"]]
    worst = np.zeros(len(r["time"]))
    for step in range(len(worst)):
        bodies = {}

        def placed(g):
            body = int(r["geom_body"][g])
            if body not in bodies:
                bodies[body] = (r["body_pos"][step, body], rotation(r["body_quat"][step, body]))
            x, axes = bodies[body]
            return kinds[g], r["geom_size"][g], x + axes @ r["geom_pos"][g], axes @ local[g]

        for first, second in pairs:
            depth = overlap(placed(first), placed(second))
            worst[step] = max(worst[step], depth or 0.0)
    return worst


def judge(path):
    """Prints a line for each field; whether none is understated."""
    r = np.load(path)
    pointer = r["contact_ptr"]
    checks = {}
    for name, (values, sizes) in contact_terms(r).items():
        allowance = ROUNDING * worst_by_step(np.where(np.isfinite(sizes), sizes, 0.0), pointer) + 1e-300
        checks[name] = (worst_by_step(values, pointer), allowance)
    span = np.abs(r["body_pos"]).max() + np.abs(r["geom_size"]).max()
    checks["penetration"] = (penetrations(r), np.full(len(r["time"]), 1e-12 * (1.0 + span)))
    sound = True
    for name, (computed, allowance) in checks.items():
        said = r[f"certificate_{name}"]
        short = computed - said
        step = int(np.argmax(short - allowance))
        line = f"  {name:<16} worst computed {computed.max():9.2e}, certified {said.max():9.2e}"
        if short[step] > allowance[step] or not np.isfinite(computed).all():
            sound = False
            line += f"  UNDERSTATED in step {step}: {computed[step]:.3e}, certified {said[step]:.3e}"
        elif said.max() > computed.max() + allowance.max():
            line += "  (more is certified: of limits, joint friction, or other shapes)"
        print(line)
    line, worked = works(r)
    print(line)
    lines, accounted = account(r)
    print("\n".join(lines))
    energy = r["energy"]
    gain = np.diff(energy) - r["certificate_energy_change"][1:]
    size = np.abs(energy).max() + 1e-300
    balanced = len(gain) == 0 or np.abs(gain).max() <= 1e-12 * size
    print(f"  {'energy_change':<16} {'adds up' if balanced else 'DOES NOT ADD UP'}")
    return sound and worked and accounted and balanced


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sound = True
    for path in sys.argv[1:]:
        print(path)
        sound &= judge(path)
    sys.exit(0 if sound else 1)


if __name__ == "__main__":
    main()
