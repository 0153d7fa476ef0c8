// Surfaces and edges of geoms. Lengths in m; z is the axis of round shapes.

import * as THREE from "three";
import type { Geom, Recording } from "./recording";

/** A surface, and lines on it that show how it turns. */
export interface Shape {
  surface: THREE.BufferGeometry;
  lines: THREE.BufferGeometry | null;
}

/** Segments around. */
const AROUND = 28;

/** Edges sharper than this are drawn (degrees). */
const SHARP = 25;

/** The shape of a geom that is not a plane. */
export function shape(geom: Geom, recording: Recording): Shape {
  const [a, b, c] = geom.size;
  switch (geom.shape) {
    case "sphere":
      return { surface: new THREE.SphereGeometry(a, AROUND, AROUND / 2), lines: circles(a, a, a) };
    case "ellipsoid":
      return { surface: new THREE.SphereGeometry(1, AROUND, AROUND / 2).scale(a, b, c), lines: circles(a, b, c) };
    case "capsule":
      return {
        surface: new THREE.CapsuleGeometry(a, 2 * b, AROUND / 4, AROUND).rotateX(Math.PI / 2),
        lines: rings(a, b),
      };
    case "cylinder":
      return { surface: new THREE.CylinderGeometry(a, a, 2 * b, AROUND).rotateX(Math.PI / 2), lines: cylinderLines(a, b) };
    case "mesh":
      return withEdges(mesh(recording, geom.data));
    case "hfield":
      return { surface: heightField(recording, geom), lines: null };
    default:
      return withEdges(new THREE.BoxGeometry(2 * a, 2 * b, 2 * c));
  }
}

function withEdges(surface: THREE.BufferGeometry): Shape {
  return { surface, lines: new THREE.EdgesGeometry(surface, SHARP) };
}

/** Points of an ellipse in the plane of two axes, as separate segments. */
function ellipse(u: THREE.Vector3, v: THREE.Vector3, center = new THREE.Vector3()): THREE.Vector3[] {
  const at = (i: number) => {
    const angle = (2 * Math.PI * i) / AROUND;
    return center.clone().addScaledVector(u, Math.cos(angle)).addScaledVector(v, Math.sin(angle));
  };
  return Array.from({ length: AROUND }, (_, i) => [at(i), at(i + 1)]).flat();
}

/** An equator and a meridian. */
function circles(a: number, b: number, c: number): THREE.BufferGeometry {
  const [x, y, z] = [new THREE.Vector3(a, 0, 0), new THREE.Vector3(0, b, 0), new THREE.Vector3(0, 0, c)];
  // A little outside, so that the facets of the surface do not cut it.
  return new THREE.BufferGeometry().setFromPoints([...ellipse(x, y), ...ellipse(x, z)]).scale(1.004, 1.004, 1.004);
}

/** Where the caps of a capsule begin. */
function rings(radius: number, half: number): THREE.BufferGeometry {
  const [x, y] = [new THREE.Vector3(radius * 1.004, 0, 0), new THREE.Vector3(0, radius * 1.004, 0)];
  const ends = [-half, half].flatMap((z) => ellipse(x, y, new THREE.Vector3(0, 0, z)));
  return new THREE.BufferGeometry().setFromPoints(ends);
}

/** Rims and two lines along a cylinder. */
function cylinderLines(radius: number, half: number): THREE.BufferGeometry {
  const points = [radius, -radius].flatMap((x) => [new THREE.Vector3(x, 0, -half), new THREE.Vector3(x, 0, half)]);
  const [x, y] = [new THREE.Vector3(radius, 0, 0), new THREE.Vector3(0, radius, 0)];
  const rims = [-half, half].flatMap((z) => ellipse(x, y, new THREE.Vector3(0, 0, z)));
  return new THREE.BufferGeometry().setFromPoints([...points, ...rims]).scale(1.004, 1.004, 1.001);
}

function mesh(recording: Recording, index: number): THREE.BufferGeometry {
  const { vertices, triangles } = recording.meshes[index];
  const indexed = new THREE.BufferGeometry();
  indexed.setAttribute("position", new THREE.BufferAttribute(Float32Array.from(vertices), 3));
  indexed.setIndex(Array.from(triangles));
  // Flat facets.
  const flat = indexed.toNonIndexed();
  flat.computeVertexNormals();
  return flat;
}

/** The surface of a height field and its walls down to the base. */
function heightField(recording: Recording, geom: Geom): THREE.BufferGeometry {
  const { rows, columns, heights } = recording.heightFields[geom.data];
  const [halfX, halfY, base] = geom.size;
  const x = (j: number) => -halfX + (2 * halfX * j) / (columns - 1);
  const y = (i: number) => -halfY + (2 * halfY * i) / (rows - 1);
  const positions: number[] = [];
  const index: number[] = [];
  for (let i = 0; i < rows; i++) for (let j = 0; j < columns; j++) positions.push(x(j), y(i), heights[i * columns + j]);
  for (let i = 0; i + 1 < rows; i++) {
    for (let j = 0; j + 1 < columns; j++) {
      const at = i * columns + j;
      index.push(at, at + 1, at + columns + 1, at, at + columns + 1, at + columns);
    }
  }
  // The rim, counter-clockwise from above; each wall has its own corners, for its own normal.
  const rim = [
    ...Array.from({ length: columns }, (_, j) => [0, j]),
    ...Array.from({ length: rows - 1 }, (_, i) => [i + 1, columns - 1]),
    ...Array.from({ length: columns - 1 }, (_, j) => [rows - 1, columns - 2 - j]),
    ...Array.from({ length: rows - 1 }, (_, i) => [rows - 2 - i, 0]),
  ];
  for (let k = 0; k + 1 < rim.length; k++) {
    const start = positions.length / 3;
    for (const [i, j] of [rim[k], rim[k + 1]]) positions.push(x(j), y(i), -base, x(j), y(i), heights[i * columns + j]);
    index.push(start, start + 2, start + 3, start, start + 3, start + 1);
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.Float32BufferAttribute(positions, 3));
  geometry.setIndex(index);
  geometry.computeVertexNormals();
  return geometry;
}
