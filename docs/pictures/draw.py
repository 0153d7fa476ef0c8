"""Draws a frame of recordings in side view: bodies, contact forces to scale, friction cones.

    python3 docs/pictures/draw.py OUT.svg SCENE.xml RECORDING.npz TIME [SCENE.xml RECORDING.npz TIME ...]

One panel per scene, below each other; x points right, z up, the eye looks along +y. Poses, contacts, masses and the
certificate come from the recording, the shapes from the scene file. Contacts that coincide in this view are drawn as
one, their forces added. Every contact shows the force on each of its bodies (the world left out), and the friction
cone it must lie in, cut by the plane of view. Needs numpy and matplotlib.
"""

import sys
import xml.etree.ElementTree as ET
from dataclasses import dataclass

import matplotlib

matplotlib.use("Agg")
matplotlib.rcParams["svg.hashsalt"] = "stiction"
matplotlib.rcParams["font.family"] = "DejaVu Sans"
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Circle, FancyArrowPatch, Polygon

VIEW = [0, 2]  # world axes that point right and up
COLORS = {"open": "#9aa0a6", "stick": "#12805c", "slip": "#c4410c"}
INK = "#22252a"


@dataclass
class Geom:
    """A shape with its pose in the frame of its body."""

    name: str
    body: int
    kind: str
    size: np.ndarray
    position: np.ndarray
    rotation: np.ndarray
    color: np.ndarray


def rotation(quaternion):
    """Rotation matrix of a unit quaternion, w first."""
    w, x, y, z = np.asarray(quaternion) / np.linalg.norm(quaternion)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def with_z_axis(axis):
    """The rotation that carries z to `axis` the short way."""
    axis = axis / np.linalg.norm(axis)
    w = 1 + axis[2]
    return np.diag([1.0, -1.0, -1.0]) if w < 1e-12 else rotation([w, -axis[1], axis[0], 0])


def numbers(text):
    return np.array([float(x) for x in text.split()])


class Shapes:
    """The geoms of an MJCF file, as far as a drawing needs them: default classes, fromto, pos, quat, zaxis."""

    def __init__(self, path, body_names):
        root = ET.parse(path).getroot()
        self.classes = {}
        for default in root.findall("default"):
            self.read_class(default, {})
        self.geoms = []
        for element in root.findall("worldbody"):
            self.read_body(element, "world", list(body_names))

    def read_class(self, element, inherited):
        own = element.find("geom")
        attributes = {**inherited, **(own.attrib if own is not None else {})}
        self.classes[element.get("class", "main")] = attributes
        for child in element.findall("default"):
            self.read_class(child, attributes)

    def read_body(self, element, name, names):
        for child in element:
            if child.tag == "body":
                self.read_body(child, child.get("name"), names)
            elif child.tag == "frame":
                sys.exit(f"body {name}: <frame> is not drawn by this script")
            elif child.tag == "geom":
                self.geoms.append(self.read_geom(child, names.index(name)))

    def read_geom(self, element, body):
        given = {**self.classes.get(element.get("class", "main"), {}), **element.attrib}
        for unsupported in ("euler", "axisangle", "xyaxes"):
            if unsupported in given:
                sys.exit(f"geom {given.get('name')}: {unsupported} is not drawn by this script")
        kind, size = given.get("type", "sphere"), numbers(given["size"])
        position, turn = numbers(given.get("pos", "0 0 0")), np.eye(3)
        if "fromto" in given:
            ends = numbers(given["fromto"]).reshape(2, 3)
            position, turn = ends.mean(0), with_z_axis(ends[1] - ends[0])
            size = np.array([size[0], np.linalg.norm(ends[1] - ends[0]) / 2])
        elif "quat" in given:
            turn = rotation(numbers(given["quat"]))
        elif "zaxis" in given:
            turn = with_z_axis(numbers(given["zaxis"]))
        color = numbers(given.get("rgba", "0.6 0.65 0.7 1"))[:3]
        return Geom(given.get("name", ""), body, kind, size, position, turn, color)


def hull(points):
    """Convex hull of points in the plane, counter-clockwise (monotone chain)."""
    points = sorted(map(tuple, np.round(points, 12)))

    def chain(order):
        out = []
        for p in order:
            while len(out) > 1 and cross(np.subtract(out[-1], out[-2]), np.subtract(p, out[-2])) <= 0:
                out.pop()
            out.append(p)
        return out[:-1]

    return np.array(chain(points) + chain(points[::-1]))


def cross(a, b):
    return a[0] * b[1] - a[1] * b[0]


def outline(geom, center, turn):
    """Silhouette of a box, sphere or capsule in the plane of view."""
    if geom.kind == "box":
        corners = np.array(np.meshgrid(*[[-1, 1]] * 3)).reshape(3, -1).T * geom.size
        return hull((center + corners @ turn.T)[:, VIEW])
    angles = np.linspace(0, 2 * np.pi, 64, endpoint=False)
    circle = geom.size[0] * np.column_stack([np.cos(angles), np.sin(angles)])
    if geom.kind == "sphere":
        return center[VIEW] + circle
    if geom.kind == "capsule":
        reach = geom.size[1] * turn[VIEW, 2]
        return hull(np.vstack([center[VIEW] + reach + circle, center[VIEW] - reach + circle]))
    sys.exit(f"geom {geom.name}: type {geom.kind} is not drawn by this script")


class Frame:
    """One step of a recording."""

    def __init__(self, recording, time):
        self.r = r = recording
        self.step = int(np.argmin(np.abs(r["time"] - time)))
        self.time = r["time"][self.step]
        # Contacts of a step are those of its beginning: so are the poses that go with them.
        before = self.step - 1
        self.position = r["body_pos"][before] if before >= 0 else r["body_pos0"]
        self.orientation = r["body_quat"][before] if before >= 0 else r["body_quat0"]

    def contacts(self, merge, fixed):
        """[point, normal, force on the second body, mu, mode, sides] in the plane of view, those closer than `merge`
        added. Sides: +1 if the second geom can move (is not in `fixed`), -1 if the first can."""
        r = self.r
        merged = []
        for c in range(*r["contact_ptr"][self.step : self.step + 2]):
            normal = r["contact_frame"][c][0][VIEW]
            force = (r["contact_frame"][c].T @ r["contact_impulse"][c] / r["timestep"])[VIEW]
            mode = str(r["mode_names"][r["contact_mode"][c]])
            point = r["contact_point"][c][VIEW]
            geoms = [str(r["geom_names"][r[f"contact_geom{i}"][c]]) for i in (1, 2)]
            sides = [side for side, geom in zip((-1, 1), geoms) if geom not in fixed]
            for other in merged:
                if np.linalg.norm(other[0] - point) < merge and np.dot(other[1], normal) > 0.999:
                    other[2] += force
                    other[4] = max(other[4], mode)
                    break
            else:
                merged.append([point, normal, force, float(r["contact_mu"][c]), mode, sides])
        return merged


def arrow(ax, tail, vector, color, order):
    length = np.linalg.norm(vector)
    width = ax.unit
    if length < 2.2 * width:
        return
    style = f"simple,head_length={5.2},head_width={5.0},tail_width={1.5}"
    ax.add_patch(
        FancyArrowPatch(
            tail, tail + vector, arrowstyle=style, shrinkA=0, shrinkB=0, color=color, lw=0, zorder=order
        )
    )


def draw_ground(ax, geom, center, turn, limits):
    """The half space below a plane seen edge-on, as far as the panel shows it."""
    normal = turn[VIEW, 2]
    if np.linalg.norm(normal) < 0.999:
        return
    along = np.array([normal[1], -normal[0]])
    far = 4 * np.ptp(limits)
    corners = [center[VIEW] + s * far * along - d * far * normal for s, d in [(-1, 0), (1, 0), (1, 1), (-1, 1)]]
    ax.add_patch(Polygon(corners, fc="#e6e4df", ec="none", zorder=0))
    ax.plot(*np.array(corners[:2]).T, color="#8b877e", lw=1.2, zorder=6)


def draw(ax, scene, recording, time):
    frame = Frame(recording, time)
    r = recording
    shapes = Shapes(scene, [str(n) for n in r["body_names"]]).geoms
    placed, solid = [], []
    for geom in shapes:
        turn = rotation(frame.orientation[geom.body])
        center = frame.position[geom.body] + turn @ geom.position
        placed.append((geom, center, turn @ geom.rotation))
        if geom.kind != "plane":
            solid.append(outline(*placed[-1]))
    points = np.vstack(solid)
    low, high = points.min(0), points.max(0)
    margin = 0.11 * (high - low)[0]
    limits = np.array([low[0] - margin, high[0] + margin, low[1] - 0.55 * margin, high[1] + 0.8 * margin])
    ax.set(xlim=limits[:2], ylim=limits[2:], aspect="equal")
    ax.axis("off")
    ax.unit = 0.004 * (limits[1] - limits[0])

    placed.sort(key=lambda item: -item[1][1])
    for geom, center, turn in placed:
        if geom.kind == "plane":
            draw_ground(ax, geom, center, turn, limits)
        else:
            fill = 1 - 0.42 * (1 - geom.color)
            ax.add_patch(
                Polygon(outline(geom, center, turn), fc=fill, ec=0.62 * geom.color, lw=1.1, joinstyle="round", zorder=2)
            )

    fixed = {geom.name for geom in shapes if geom.body == 0}
    contacts = frame.contacts(0.02 * (limits[1] - limits[0]), fixed)
    largest = max([np.linalg.norm(c[2]) for c in contacts] + [1e-9])
    scale = 0.105 * (limits[1] - limits[0]) / largest
    radius = 0.052 * (limits[1] - limits[0])
    for point, normal, force, mu, mode, sides in contacts:
        if mode == "open":
            ax.add_patch(Circle(point, 1.1 * ax.unit, fc="white", ec=COLORS[mode], lw=0.8, zorder=9))
            continue
        angle, half = np.arctan2(normal[1], normal[0]), np.arctan(mu)
        arc = np.linspace(angle - half, angle + half, 24)
        for side in sides:
            wedge = np.vstack([point, point + side * radius * np.column_stack([np.cos(arc), np.sin(arc)])])
            ax.add_patch(Polygon(wedge, fc="#f5b700", ec="#a87900", alpha=0.38, lw=0.7, zorder=5))
            arrow(ax, point, side * scale * force, COLORS[mode], 8)
        ax.add_patch(Circle(point, 1.3 * ax.unit, fc=INK, ec="white", lw=0.5, zorder=9))
    return frame, contacts, scale, limits


def annotate(ax, frame, contacts, scale, limits, scene):
    r = frame.r
    width = limits[1] - limits[0]
    largest = max(np.linalg.norm(c[2]) for c in contacts)
    bar = min((n for n in np.outer(10.0 ** np.arange(-3, 7), [1, 2, 5]).flat), key=lambda n: abs(n - largest))
    x, y = limits[0] + 0.015 * width, limits[3] - 0.018 * width
    ax.plot([x, x + bar * scale], [y, y], color=INK, lw=2.2, solid_capstyle="butt", zorder=12)
    ax.text(x + bar * scale + 0.008 * width, y, f"{bar:g} N", va="center", ha="left", fontsize=8.5, color=INK)
    name = scene.split("/")[-1]
    worst = r["certificate_residual"].max()
    text = (
        f"{name}   t = {frame.time:g} s   worst residual of {len(r['time'])} steps {worst:.1e}   "
        f"deepest overlap {r['certificate_penetration'].max():.0e} m"
    )
    ax.text(limits[1] - 0.005 * width, y, text, va="center", ha="right", fontsize=8.5, color=INK)


def main():
    out, rest = sys.argv[1], sys.argv[2:]
    if not rest or len(rest) % 3:
        sys.exit(__doc__)
    panels = [rest[i : i + 3] for i in range(0, len(rest), 3)]
    figure, axes = plt.subplots(len(panels), 1, squeeze=False)
    drawn = []
    for ax, (scene, recording, time) in zip(axes[:, 0], panels):
        drawn.append(draw(ax, scene, np.load(recording), float(time)))
        annotate(ax, *drawn[-1], scene)
    width = 9.2
    heights = [width * np.ptp(limits[2:]) / np.ptp(limits[:2]) for *_, limits in drawn]
    legend, gap = 0.32, 0.12
    total = sum(heights) + gap * (len(panels) - 1) + legend
    figure.set_size_inches(width, total)
    top = total
    for ax, height in zip(axes[:, 0], heights):
        ax.set_position([0, (top - height) / total, 1, height / total])
        top -= height + gap
    figure.patch.set_facecolor("#fbfaf7")
    modes = {contact[4] for _, contacts, _, _ in drawn for contact in contacts}
    labels = {"stick": "force, sticking contact", "slip": "force, sliding contact", "open": "contact without force"}
    items = [(label, COLORS[mode]) for mode, label in labels.items() if mode in modes]
    items.append(("friction cone", "#f5b700"))
    for i, (label, color) in enumerate(items):
        x = 0.02 + 0.24 * i
        figure.text(x, 0.5 * legend / total, "\u25a0", color=color, fontsize=11, va="center")
        figure.text(x + 0.018, 0.5 * legend / total, label, color=INK, fontsize=8.5, va="center")
    figure.savefig(out, facecolor=figure.get_facecolor(), metadata={"Date": None} if out.endswith("svg") else None)


if __name__ == "__main__":
    main()
