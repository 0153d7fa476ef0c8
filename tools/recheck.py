#!/usr/bin/env python3
"""Judges recordings of stiction from outside: NumPy and the arrays of the file, nothing of the engine.

    python3 tools/recheck.py run.npz ...

For every step it computes again, in SI units,

* from impulses, velocities and bounds of the contacts and of all other rows: approach, pull, cone_violation (the first three also
  for angles), sliding_power, complementarity, dissipation, slip and viscous_error; where a contact acts as a force and not at once,
  from that force and the velocity of the same instant;
* from impulses and the velocities before and after: contact_work; with the velocities before the step, what friction did, and
  what normal forces, impacts and equalities did together;
* from velocities, compliances and impulses of equalities: bilateral_velocity, for speeds and for rates of angles; in steps that were
  solved, whether they hold and actions give way as they should: velocity + compliance impulse = 0;
* from the poses before the step and those after the removal of overlap: projection, in m and in rad;
* from the poses after the step and geometry of its own (planes, spheres, capsules and boxes): a lower bound of penetration, for pairs
  of geoms that are in contact at some time of the run;
* from the energies: energy_change, but where equalities are not met, and whether the works by cause add up to it.

What is recorded has to be equal to what is computed, to rounding; a field for which it is not is printed with the worst step, and the
exit status is 1. Only a lower bound is known

* of penetration, since other shapes and limits are not computed here;
* of all fields in steps in which a contact acts as a force: they hold the worst of all instants, of which one is recorded;
* of bilateral_velocity in steps in which some equalities have no rows: those of trees under the free rule.

In such steps the work of equalities is not compared. Not
computed at all: residual, bilateral, penetration of limits, and the single works besides those named (they need the
model). The impulse of an equality that moves neither before nor after the step does no work, and nothing here depends on it.

A file that is not a recording, or holds what no recording holds, is told in one line with the array; the exit status is 2.
"""

import sys
import zipfile
import zlib
from itertools import product

import numpy as np

FORMAT = 12  # of the arrays
ROUNDING = 1e-14  # part of the terms of a difference
HELD = 1e-9  # part of the speeds that is left of a row that holds both ways
MET = 1e-10  # displacement by which a step with impulses at both ends may miss an equality (m or rad)
JAMMED = 1e-12  # part of impulses over the least mass that is left
OPEN = 1e-6  # error of an equality that is not met (m or rad)
TINY = 1e-300
ROUND_OFF = 1e-12  # speed that is none (m/s)
RESTING = 1e-7  # speed of an impact at its time (m/s)

# Arrays that every recording has, by their shapes; letters are lengths.
SHAPES = {
    "format": "",
    "timestep": "",
    "law_names": "L",
    "shape_names": "S",
    "row_law_names": "R",
    "source_names": "q",
    "source_kind": "q",
    "source_kind_names": "Q",
    "geom_names": "g",
    "geom_type": "g",
    "geom_body": "g",
    "geom_size": "g3",
    "geom_pos": "g3",
    "geom_quat": "g4",
    "body_names": "b",
    "body_mass": "b",
    "time": "n",
    "qvel": "nv",
    "body_pos": "nb3",
    "body_quat": "nb4",
    "body_pos0": "b3",
    "body_quat0": "b4",
    "moved_ptr": "N",
    "moved_body": "k",
    "moved_pos": "k3",
    "moved_quat": "k4",
    "energy": "n",
    "unsolved": "n",
    "contact_ptr": "N",
    "row_ptr": "N",
    **{f"contact_{name}": "m" for name in ("geom1", "geom2", "law", "mu", "viscosity", "bias", "preload")},
    **{f"contact_{name}": "m3" for name in ("velocity", "before", "start", "after", "impulse", "sustained")},
    **{f"contact_{name}": "m" for name in ("work", "normal_work", "friction_work", "duration")},
    **{f"row_{name}": "r" for name in ("law", "source", "angular", "impulse", "velocity", "before", "start", "after", "duration")},
    **{f"row_{name}": "r" for name in ("lower", "upper", "bias", "compliance")},
}
OF_LAWS = ("approach", "pull", "cone_violation", "sliding_power", "complementarity", "dissipation", "slip", "viscous_error")
ANGULAR = ("approach_angular", "pull_angular", "cone_violation_angular")
HELD_ROWS = ("bilateral_velocity", "bilateral_velocity_angular")
OTHERS = ("projection", "projection_angular", "bilateral", "bilateral_angular", *HELD_ROWS, "contact_work", "energy_change")
WORKS = ("friction", "impacts", "constraints", "drives", "dampers", "applied", "prescribed", "projection", "velocity_projection", "numerical")
SHAPES.update({f"certificate_{name}": "n" for name in (*OF_LAWS, *ANGULAR, "penetration", *OTHERS)})
SHAPES.update({f"work_{name}": "n" for name in WORKS})
# Arrays whose numbers may be other than finite, and which ones are refused there.
REFUSED = {
    "contact_mu": lambda x: np.isnan(x) | (x < 0),
    "contact_sustained": np.isinf,
    "contact_duration": lambda x: ~((x > 0) & np.isfinite(x)),
    "row_duration": lambda x: ~((x > 0) & np.isfinite(x)),
    "row_lower": lambda x: ~(x <= 0),
    "row_upper": lambda x: ~(x >= 0),
}
# Arrays of indices, and how many there are to choose from.
INDICES = {
    "contact_geom1": "g",
    "contact_geom2": "g",
    "contact_law": "L",
    "row_law": "R",
    "row_source": "q",
    "geom_type": "S",
    "geom_body": "b",
    "moved_body": "b",
    "source_kind": "Q",
}


class Malformed(Exception):
    """What is wrong with a file, and in which array."""


def load(path):
    """All arrays of a recording by name; refuses what is none."""
    try:
        archive = zipfile.ZipFile(path)
    except (OSError, zipfile.BadZipFile) as error:
        raise Malformed(f"not an archive: {error}") from None
    with archive:
        arrays, lengths = {}, {"3": 3, "4": 4}
        for name, shape in SHAPES.items():
            arrays[name] = read(archive, name)
            if name == "format" and (arrays[name].shape != () or arrays[name] != FORMAT):
                raise Malformed(f"array 'format' is {arrays[name]}, and layout {FORMAT} is needed: record it again")
            check(name, arrays[name], shape, lengths)
    for name, letter in (("contact_ptr", "m"), ("row_ptr", "r"), ("moved_ptr", "k")):
        pointer, entries = arrays[name], lengths[letter]
        if len(pointer) != lengths["n"] + 1 or pointer[0] != 0 or pointer[-1] != entries or (np.diff(pointer) < 0).any():
            raise Malformed(f"array '{name}' does not rise from 0 to {entries} in {lengths['n']} steps")
    for name, letter in INDICES.items():
        if ((arrays[name] < 0) | (arrays[name] >= lengths[letter])).any():
            raise Malformed(f"array '{name}' has an index that is not one of {lengths[letter]}")
    if not arrays["timestep"] > 0:
        raise Malformed(f"array 'timestep' is {arrays['timestep']}")
    return arrays


def read(archive, name):
    """One array of an archive."""
    try:
        with archive.open(f"{name}.npy") as file:
            return np.lib.format.read_array(file, allow_pickle=False)
    except KeyError:
        raise Malformed(f"array '{name}' is missing") from None
    except (OSError, EOFError, ValueError, zipfile.BadZipFile, zlib.error, NotImplementedError) as error:
        raise Malformed(f"array '{name}' cannot be read: {' '.join(str(error).split())}") from None


def check(name, array, shape, lengths):
    """Refuses an array that has not this shape or holds what is no number; learns the lengths."""
    fits = array.ndim == len(shape)
    fits = fits and all(lengths.setdefault(letter, found) == found for letter, found in zip(shape, array.shape))
    if not fits:
        raise Malformed(f"array '{name}' has the shape {array.shape}, which does not fit the others")
    if name.endswith("names"):
        return
    if array.dtype.kind not in "if":
        raise Malformed(f"array '{name}' has elements of type {array.dtype}")
    refused = REFUSED.get(name, lambda x: ~np.isfinite(x))(array)
    if refused.any():
        place = tuple(map(int, np.argwhere(refused)[0]))
        raise Malformed(f"array '{name}' has the number {array[place]} at {list(place)}")


class Entries:
    """Contacts or rows, which belong to steps."""

    def __init__(self, pointer):
        self.steps = len(pointer) - 1
        self.step = np.repeat(np.arange(self.steps), np.diff(pointer))

    def worst(self, values):
        """Largest value of each step, at least zero."""
        result = np.zeros(self.steps)
        np.maximum.at(result, self.step, values)
        return result

    def sum(self, values):
        """Sum over each step."""
        return np.bincount(self.step, weights=values, minlength=self.steps)


def contact_terms(r):
    """The certificate's terms of each contact, and the size of what they are differences of."""
    h = r["contact_duration"]
    u, sustained = r["contact_velocity"], r["contact_sustained"]
    # The laws hold of a force at an instant; as an impulse it counts as if it lasted for the step.
    impulse = np.where(np.isfinite(sustained), sustained * h[:, None], r["contact_impulse"])
    law = r["law_names"][r["contact_law"]]
    mu, bias, preload = r["contact_mu"], r["contact_bias"], r["contact_preload"]
    normal, rate = impulse[:, 0], u[:, 0] + bias
    viscous = np.where(bias <= 0, h * r["contact_viscosity"], 0.0)
    dry = np.hypot(*(impulse[:, k] + viscous * u[:, k] for k in (1, 2)))
    slip = np.hypot(u[:, 1], u[:, 2])
    powers = impulse[:, 1:] * u[:, 1:] / h[:, None]
    power, size = powers.sum(1), np.abs(powers).sum(1)
    pressing = np.maximum(normal, 0.0)
    held = (law == "no-slip") & (normal > 0)
    bounded = np.isfinite(mu) & (law != "viscous")
    bound = np.where(bounded, mu, 0.0) * pressing
    dissipated = (bound + viscous * slip) * slip / h
    tangential = (np.hypot(impulse[:, 1], impulse[:, 2]) + viscous * slip + bound) / h
    opening = np.abs(u[:, 0]) + np.abs(bias)
    return {
        "approach": (-rate, opening),
        "pull": (-normal / h, np.abs(normal) / h),
        "complementarity": (np.abs((normal - preload) * rate) / h, (np.abs(normal) + np.abs(preload)) * opening / h),
        "sliding_power": (power, size),
        "cone_violation": (np.where(bounded | ((law == "no-slip") & ~held), dry - bound, 0.0) / h, tangential),
        "dissipation": (np.where(bounded, dissipated + power, 0.0), dissipated + size),
        "slip": (np.where(held, slip, 0.0), slip),
        "viscous_error": (np.where(law == "viscous", dry, 0.0) / h, tangential),
    }


def row_terms(r):
    """The same of each row of limits and friction."""
    h = r["row_duration"]
    law, angular = r["row_law_names"][r["row_law"]], r["row_angular"] == 1
    limit, friction = law == "limit", law == "friction"
    impulse, u, bias = r["row_impulse"], r["row_velocity"], r["row_bias"]
    rate, opening, power = u + bias, np.abs(u) + np.abs(bias), impulse * u / h
    bound = np.where(friction, r["row_upper"], 0.0)
    excess = np.maximum(impulse - r["row_upper"], np.where(friction, r["row_lower"] - impulse, -np.inf)) / h
    dissipated = bound * np.abs(u) / h

    def of(rows, value, size):
        return np.where(rows, value, 0.0), np.where(rows, size, 0.0)

    terms = {}
    for suffix, chosen in (("", ~angular), ("_angular", angular)):
        terms["approach" + suffix] = of(limit & chosen, -rate, opening)
        terms["pull" + suffix] = of(limit & chosen, -impulse / h, np.abs(impulse) / h)
        terms["cone_violation" + suffix] = of(friction & chosen, excess, (np.abs(impulse) + bound) / h)
    terms["complementarity"] = of(limit, np.abs(impulse * rate) / h, np.abs(impulse) * opening / h)
    terms["sliding_power"] = of(friction, power, np.abs(power))
    terms["dissipation"] = of(friction, dissipated + power, dissipated + np.abs(power))
    return terms


class Verdict:
    """Prints a line for each field, and remembers whether all are right."""

    def __init__(self):
        self.sound = True

    def compare(self, name, computed, said, allowance, equal=True):
        """What is recorded of each step against what is computed; where it need not be `equal`, the latter is a lower bound."""
        if len(computed) == 0:
            return
        short = computed - said
        wrong = np.where(equal, np.abs(short), short) - (allowance + TINY)
        # What is no number is wrong.
        wrong = np.where(np.isfinite(short), wrong, np.inf)
        step = int(np.argmax(wrong))
        line = f"  {name:<25} computed {largest(computed):9.2e}, recorded {largest(said):9.2e}"
        if wrong[step] > 0:
            self.sound = False
            kind = "UNDERSTATED" if not short[step] < 0 else "OVERSTATED"
            line += f"  {kind} in step {step}: computed {computed[step]:.6e}, recorded {said[step]:.6e}"
        elif not np.all(equal):
            line += "  (a lower bound)" if not np.any(equal) else f"  (a lower bound in {np.sum(~equal)} steps)"
        print(line)


def largest(values):
    """The value that is farthest from zero."""
    return values[np.argmax(np.abs(values))]


def judge_laws(r, contacts, rows, verdict):
    """The fields that say how well the laws of contacts and rows are obeyed."""
    sustained = np.isfinite(r["contact_sustained"]).any(axis=1)
    equal = contacts.sum(sustained.astype(float)) == 0
    of_contacts, of_rows = contact_terms(r), row_terms(r)
    for name in (*OF_LAWS, *ANGULAR):
        computed, size = np.zeros(contacts.steps), np.zeros(contacts.steps)
        for entries, terms in ((contacts, of_contacts), (rows, of_rows)):
            if name in terms:
                value, terms_size = terms[name]
                computed = np.maximum(computed, entries.worst(value))
                size = np.maximum(size, entries.worst(terms_size))
        verdict.compare(name, computed, r[f"certificate_{name}"], ROUNDING * size, equal)


def judge_projection(r, verdict):
    """How far the removal of overlap moved and turned bodies, from where they were at the end of the step before."""
    moved, body = Entries(r["moved_ptr"]), r["moved_body"]
    before = [np.concatenate([r[f"body_{name}0"][None], r[f"body_{name}"]])[moved.step, body] for name in ("pos", "quat")]
    moves = np.linalg.norm(r["moved_pos"] - before[0], axis=1)
    # Half the angle between unit quaternions, which stand for the same rotation with either sign.
    sign = np.where(np.sum(before[1] * r["moved_quat"], axis=1) < 0, -1.0, 1.0)[:, None]
    apart, together = (np.linalg.norm(r["moved_quat"] + s * sign * before[1], axis=1) for s in (-1, 1))
    turns = 4.0 * np.arctan2(apart, together)
    span = np.abs(r["body_pos"]).max(initial=0.0) + moves.max(initial=0.0)
    verdict.compare("projection", moved.worst(moves), r["certificate_projection"], ROUNDING * span)
    verdict.compare("projection_angular", moved.worst(turns), r["certificate_projection_angular"], ROUNDING)


def judge_held(r, contacts, rows, verdict):
    """Rows that hold both ways: velocity + compliance impulse = 0, but for a part of the speeds in the step, if it was solved."""
    law, given = r["row_law_names"][r["row_law"]], r["row_compliance"] * r["row_impulse"]
    error, terms, known = r["row_velocity"] + given, np.abs(r["row_velocity"]) + np.abs(given), equalities_have_rows(r, rows)
    for name, angular in zip(HELD_ROWS, (0, 1)):
        chosen = (law == "equality") & (r["row_angular"] == angular)
        computed, size = (rows.worst(np.where(chosen, values, 0.0)) for values in (np.abs(error), terms))
        verdict.compare(name, computed, r[f"certificate_{name}"], ROUNDING * size, known)
    speeds = np.maximum(np.abs(r["row_before"]), np.maximum(np.abs(r["row_start"]), np.abs(given)))
    fastest = np.maximum(rows.worst(speeds), np.abs(r["qvel"]).max(axis=1, initial=0.0))
    # Where bodies jam, large impulses cancel each other; velocities have the rounding of each.
    mass = r["body_mass"][r["body_mass"] > 0].min(initial=np.inf)
    pushed = np.maximum(rows.worst(np.abs(r["row_impulse"])), contacts.worst(np.abs(r["contact_impulse"]).max(axis=1, initial=0.0))) / mass
    for kind in ("equality", "action"):
        if (law == kind).any():
            left = rows.worst(np.where(law == kind, np.abs(error), 0.0))
            displaced = (law == kind) & (r["row_after"] != r["row_velocity"])
            missed = rows.worst(np.where(displaced, MET / r["row_duration"], 0.0))
            allowance = np.where(r["unsolved"] > 0, np.inf, HELD * fastest + JAMMED * pushed + missed)
            verdict.compare(f"{kind} rows", left, np.zeros(rows.steps), allowance)


def judge_works(r, contacts, rows, verdict):
    """Works of contacts and rows, by themselves and by cause."""
    impulse, velocity = r["contact_impulse"], r["contact_after"]
    at_once = ~np.isfinite(r["contact_sustained"]).any(axis=1)
    since_before = 0.5 * impulse * (r["contact_before"] + velocity)
    since_start = 0.5 * impulse * (r["contact_start"] + velocity)
    normal, friction = since_start[:, 0], since_start[:, 1:]
    for name, parts in (("work", since_before), ("normal_work", normal[:, None]), ("friction_work", friction)):
        said, size = r[f"contact_{name}"], np.abs(parts).sum(1)
        # The step's worst difference between a contact's work and that of its impulse.
        wrong = contacts.worst(np.where(at_once, np.abs(parts.sum(1) - said) - ROUNDING * size, 0.0))
        verdict.compare(f"contact_{name}, each", wrong, np.zeros(contacts.steps), 0.0)

    law = r["row_law_names"][r["row_law"]]
    own = law != "action"
    row_before = np.where(np.isin(law, ("limit", "friction")), 0.5 * r["row_impulse"] * (r["row_before"] + r["row_after"]), 0.0)
    row_start = np.where(own, 0.5 * r["row_impulse"] * (r["row_start"] + r["row_after"]), 0.0)
    several = ROUNDING * (1.0 + contacts.sum(np.ones(len(at_once))) + rows.sum(np.ones(len(law))))
    total = contacts.sum(r["contact_work"]) + rows.sum(row_before)
    size = contacts.sum(np.abs(since_before).sum(1) + np.abs(r["contact_work"])) + rows.sum(np.abs(row_before))
    verdict.compare("contact_work", total, r["certificate_contact_work"], several * size)

    # A contact hits where it presses and was approached faster than the forces of the step bring about.
    start, before = r["contact_start"][:, 0], r["contact_before"][:, 0]
    hits = at_once & (impulse[:, 0] > 0) & (-start > np.abs(before - start) + ROUND_OFF)
    # At its time a slow one is not an impact, and time stepping does not look different here.
    unknown = hits & (before == start) & (start >= -RESTING)
    rubbed = r["contact_friction_work"]
    of_friction = contacts.sum(np.where(hits, 0.0, rubbed)) + rows.sum(np.where(law == "friction", row_start, 0.0))
    of_all = contacts.sum(r["contact_normal_work"] + rubbed) + rows.sum(row_start)
    size = contacts.sum(np.abs(since_start).sum(1) + np.abs(r["contact_normal_work"]) + np.abs(rubbed)) + rows.sum(np.abs(row_start))
    unknown = contacts.sum(np.where(unknown, np.abs(rubbed), 0.0))
    verdict.compare("work_friction", of_friction, r["work_friction"], several * size + unknown)
    said = r["work_friction"] + r["work_impacts"] + r["work_constraints"] + r["work_velocity_projection"]
    known = equalities_have_rows(r, rows)
    allowance = np.where(known, several * (size + np.abs(said)), np.inf)
    verdict.compare("work of constraints", of_all, said, allowance)
    if not known.all():
        print(f"  {'':<25} (not compared in {np.sum(~known)} steps, in which equalities have no rows)")


def equalities_have_rows(r, rows):
    """Whether all equalities have rows in a step."""
    equality = list(r["source_kind_names"]).index("equality")
    kinds = r["source_kind"]
    chosen = kinds[r["row_source"]] == equality
    seen = np.unique(np.stack([rows.step[chosen], r["row_source"][chosen]]), axis=1)[0]
    return np.bincount(seen, minlength=rows.steps) == np.sum(kinds == equality)


def judge_energy(r, verdict):
    """Whether works by cause, and changes of the energy, add up."""
    works = {name: r[f"work_{name}"] for name in WORKS}
    change = r["certificate_energy_change"]
    size = np.sum([np.abs(values) for values in works.values()], axis=0) + np.abs(r["energy"])
    verdict.compare("energy_change, works", sum(works.values()), change, 1e-12 * size)
    if len(change) > 1:
        gain, largest_energy = np.diff(r["energy"]), np.abs(r["energy"]).max()
        # Where loops are open, the coordinates of their joints, and so the energy of springs there, are not unique.
        open_at_end = np.maximum(r["certificate_bilateral"], r["certificate_bilateral_angular"]) > OPEN
        apart = np.append(False, open_at_end[:-1] | open_at_end[1:])
        # The first step starts from an energy that is not recorded.
        allowance = np.where(apart, np.inf, 1e-12 * largest_energy)
        verdict.compare("energy_change, energies", np.append(change[0], gain), change, allowance)
    told = ", ".join(f"{name} {values.sum():.6g}" for name, values in works.items() if values.any())
    print(f"  {'work (J)':<25} {told or 'none'}")


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
    """Prints a line for each field; whether all are right."""
    r = load(path)
    contacts, rows = Entries(r["contact_ptr"]), Entries(r["row_ptr"])
    verdict = Verdict()
    judge_laws(r, contacts, rows, verdict)
    if len(r["time"]):
        span = np.abs(r["body_pos"]).max(initial=0.0) + np.abs(r["geom_size"]).max(initial=0.0)
        verdict.compare("penetration", penetrations(r), r["certificate_penetration"], 1e-12 * (1.0 + span), np.False_)
    judge_projection(r, verdict)
    judge_held(r, contacts, rows, verdict)
    judge_works(r, contacts, rows, verdict)
    judge_energy(r, verdict)
    return verdict.sound


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    status = 0
    for path in sys.argv[1:]:
        print(path)
        try:
            status = max(status, 0 if judge(path) else 1)
        except Malformed as problem:
            print(f"{path}: {problem}", file=sys.stderr)
            status = 2
    sys.exit(status)


if __name__ == "__main__":
    main()
