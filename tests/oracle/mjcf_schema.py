"""Writes crates/stiction/src/scene/mjcf/schema.txt: which elements and attributes MJCF has.

Run with `python tests/oracle/mjcf_schema.py` from the root of the repository (written with mujoco 4.0.0).
One line for elements of one parent with the same attributes: parent | elements | attributes.
"""

import pathlib
import re

import mujoco

TARGET = pathlib.Path(__file__).resolve().parents[2] / "crates/stiction/src/scene/mjcf/schema.txt"
PLACE = "axisangle euler pos quat xyaxes zaxis"

# Elements that MuJoCo expands before it looks at the schema, or of which its printed schema shows one form only;
# and the generator that version 3 has and version 4 has not.
MORE = {
    ("mujoco", "worldbody"): "",
    ("body", "frame"): "name childclass " + PLACE,
    ("body", "replicate"): "count euler offset sep",
    ("body", "composite"): "count curve initial offset prefix quat size type vertex",
}


def elements(schema):
    """Yields depth, tag and attributes of every line of the printed schema."""
    found = []
    for line in schema.splitlines():
        start = re.match(r"( *)(\S+) \([!?*R]\) +(.*)", line)
        if start:
            indent, tag, words = start.groups()
            found.append((len(indent) // 3, tag, words.split()))
        elif line.strip():
            found[-1][2].extend(line.split())
    return found


def main():
    table = {}
    path = []
    for depth, tag, attributes in elements(mujoco.mj_printSchema(False, False)):
        tag = tag.replace("(world)", "")
        path[depth:] = [tag]
        if depth == 0:
            continue
        parent = path[depth - 1]
        table[(parent, tag)] = sorted(set(table.get((parent, tag), [])) | set(attributes))
    # The body of the printed schema stands for the world, too, and both hold bodies.
    table[("body", "body")] = table.pop(("mujoco", "body"))
    table[("default", "default")] = table[("mujoco", "default")]
    for key, attributes in MORE.items():
        table[key] = sorted(attributes.split())

    lines = {}
    for (parent, tag), attributes in table.items():
        lines.setdefault((parent, " ".join(attributes)), []).append(tag)
    text = "".join(
        f"{parent} | {' '.join(sorted(tags))} | {attributes}".rstrip() + "\n"
        for (parent, attributes), tags in sorted(lines.items(), key=lambda line: (line[0][0], sorted(line[1])))
    )
    TARGET.write_text(text)


if __name__ == "__main__":
    main()
