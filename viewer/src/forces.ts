// Contacts: points, force arrows and friction cones, coloured by mode or margin, and the centre of pressure of each
// pair of geoms. What a body hides shines through it faintly.
//
// An arrow begins at the contact's point and is as long as `scale` (m/N) times the force says. The cone stands on the
// same point and opens by atan(mu) about the normal: the arrow pierces its lid while the contact sticks, and runs
// along its side when it slips. Contacts without slip have no bound, and so no cone.

import * as THREE from "three";
import type { ContactReadout, PairReadout, Readout } from "./readout";
import type { Recording } from "./recording";
import type { Selection } from "./selection";
import { marginColour, theme } from "./theme";

/** The largest force's arrow, as part of the scene's size. */
const LARGEST = 1 / 3;

/** Forces above this many times the typical one do not set the scale: an impact would make all others invisible. */
const IMPACT = 2;

/** Radius of an arrow's shaft, as part of the scene's radius. */
const SHAFT = 0.0075;

/** Size of the head, in radii of the shaft. */
const HEAD = { radius: 2.6, length: 7 };

/** Height of a cone, as part of the normal force's arrow; its height and radius at most, as part of the scene's radius. */
const CONE = 0.45;
const LARGEST_CONE = 0.3;

/** Radius of a contact's point, of the point chosen, and of a centre of pressure, in radii of the shaft. */
const POINT = 1.6;
const CHOSEN = 2.6;
const CENTER = 4;

/** Opacity of what bodies hide; centres of pressure are always hidden between two faces. */
const HIDDEN = 0.42;
const HIDDEN_CENTER = 0.75;

/** What is read back from the scene: where an arrow begins (m), what it says (N), and its colour (#rrggbb). */
export interface Arrow {
  contact: number;
  point: number[];
  vector: number[];
  colour: string;
}

/** What a place of the window is on: a contact, or the centre of pressure of a pair. */
export interface Picked {
  pair: PairReadout;
  /** Place of the contact among those of the pair. */
  place: number | null;
}

export class Forces {
  readonly group = new THREE.Group();
  /** Metres per newton. */
  scale: number;
  readonly defaultScale: number;
  showArrows = true;
  showCones = true;
  showCenters = true;
  colourByMargin = false;
  private readonly shafts: Layered;
  private readonly heads: Layered;
  private readonly points: Layered;
  private readonly centers: Layered;
  private readonly cones: THREE.InstancedMesh;
  private readonly rims: THREE.InstancedMesh;
  private pairs: PairReadout[] = [];
  /** The contact of each arrow, and the pair of each centre. */
  private drawn: number[] = [];
  private marked: PairReadout[] = [];
  private coned = 0;
  private frame = 0;

  constructor(
    recording: Recording,
    private readonly readout: Readout,
    private readonly selection: Selection,
    private readonly radius: number,
  ) {
    const { ptr } = recording.contacts;
    let most = 1;
    for (let i = 0; i < recording.frames; i++) most = Math.max(most, ptr[i + 1] - ptr[i]);
    this.shafts = new Layered(new THREE.CylinderGeometry(1, 1, 1, 8, 1, true).rotateX(Math.PI / 2).translate(0, 0, 0.5), most);
    this.heads = new Layered(new THREE.ConeGeometry(1, 1, 10).rotateX(Math.PI / 2).translate(0, 0, 0.5), most);
    this.points = new Layered(new THREE.IcosahedronGeometry(1, 1), most);
    this.centers = new Layered(new THREE.OctahedronGeometry(1), most, HIDDEN_CENTER);
    const side = new THREE.ConeGeometry(1, 1, 36, 1, true).rotateX(-Math.PI / 2).translate(0, 0, 0.5);
    this.cones = instanced(side, glassy(0.11), most, 4);
    const rim = new THREE.RingGeometry(0.975, 1, 36).translate(0, 0, 1);
    this.rims = instanced(rim, glassy(0.6), most, 5);
    const layered = [this.shafts, this.heads, this.points, this.centers].flatMap(({ meshes }) => meshes);
    this.group.add(...layered, this.cones, this.rims);
    this.defaultScale = this.scale = (2 * radius * LARGEST) / referenceForce(recording);
  }

  /** Draws the contacts of a frame. */
  show(frame: number): void {
    this.frame = frame;
    this.pairs = this.readout.pairs(frame);
    [this.drawn, this.marked, this.coned] = [[], [], 0];
    let points = 0;
    for (const pair of this.pairs) {
      for (const [place, contact] of pair.contacts.entries()) {
        const chosen = this.selection.has(pair) && this.selection.place === place;
        this.contact(contact, points++, chosen);
      }
      if (this.hasCenter(pair)) this.center(pair);
    }
    this.points.finish(points);
    this.centers.finish(this.marked.length);
    this.shafts.finish(this.drawn.length);
    this.heads.finish(this.drawn.length);
    for (const mesh of [this.cones, this.rims]) finish(mesh, this.coned);
  }

  /** Draws the same frame with other settings. */
  again(): void {
    this.show(this.frame);
  }

  /** The arrows as they stand in the scene, from the matrices that are drawn. */
  arrows(): Arrow[] {
    return this.drawn.map((contact, i) => {
      const shaft = this.shafts.matrix(i);
      const head = this.heads.matrix(i);
      const point = new THREE.Vector3().setFromMatrixPosition(shaft);
      const column = (m: THREE.Matrix4) => new THREE.Vector3().setFromMatrixColumn(m, 2);
      const vector = column(shaft).add(column(head)).divideScalar(this.scale);
      return { contact, point: point.toArray(), vector: vector.toArray(), colour: this.shafts.colour(i) };
    });
  }

  /** The centres of pressure as they stand in the scene: the pair's geoms and the place (m). */
  markers(): { geoms: number[]; point: number[] }[] {
    return this.marked.map(({ geoms }, i) => {
      const point = new THREE.Vector3().setFromMatrixPosition(this.centers.matrix(i));
      return { geoms, point: point.toArray() };
    });
  }

  /** The contact or centre nearest to a place of the window, if one is within `radius` pixels of it. */
  pick(place: THREE.Vector2, radius: number, toPixels: (x: THREE.Vector3) => THREE.Vector2 | null): Picked | null {
    let [best, nearest]: [Picked | null, number] = [null, radius];
    const consider = (picked: Picked, from: THREE.Vector3, to: THREE.Vector3) => {
      const [a, b] = [toPixels(from), toPixels(to)];
      if (!a || !b) return;
      const distance = fromSegment(place, a, b);
      if (distance < nearest) [best, nearest] = [picked, distance];
    };
    for (const pair of this.marked) consider({ pair, place: null }, pair.center, pair.center);
    for (const pair of this.pairs) {
      for (const [i, { point, force }] of pair.contacts.entries()) {
        consider({ pair, place: i }, point, point.clone().addScaledVector(force, this.showArrows ? this.scale : 0));
      }
    }
    return best;
  }

  /** Whether the centre of pressure is drawn: where one contact presses, it is that contact's point. */
  private hasCenter(pair: PairReadout): boolean {
    return pair.pressing > 0 && ((this.showCenters && pair.pressing > 1) || this.selection.has(pair));
  }

  private center(pair: PairReadout): void {
    const size = CENTER * SHAFT * this.radius;
    this.centers.set(this.marked.push(pair) - 1, matrix(pair.center, UP, size, size), new THREE.Color(theme().mark));
  }

  private contact(contact: ContactReadout, i: number, chosen: boolean): void {
    const { index, point, normal, force, mu, mode } = contact;
    const colour = new THREE.Color(this.colourByMargin ? marginColour(contact.margin) : theme().modes[mode]);
    const shaft = SHAFT * this.radius;
    const size = force.length();
    const dot = (chosen ? CHOSEN : POINT) * shaft;
    this.points.set(i, matrix(point, normal, dot, dot), chosen ? new THREE.Color(theme().mark) : colour);
    if (this.showArrows && size > 0) this.arrow(index, point, force, size, shaft, colour);
    const most = (LARGEST_CONE * this.radius) / Math.max(mu, 1);
    const height = Math.min(CONE * Math.abs(force.dot(normal)) * this.scale, most);
    if (this.showCones && mu > 0 && mode > 0 && height > 0) {
      const cone = matrix(point, normal, mu * height, height);
      for (const mesh of [this.cones, this.rims]) set(mesh, this.coned, cone, colour);
      this.coned++;
    }
  }

  private arrow(contact: number, at: THREE.Vector3, along: THREE.Vector3, size: number, shaft: number, colour: THREE.Color): void {
    const length = size * this.scale;
    const headLength = Math.min(HEAD.length * shaft, 0.45 * length);
    // Short arrows are thin ones.
    const thick = headLength / HEAD.length;
    const direction = along.clone().divideScalar(size);
    const neck = at.clone().addScaledVector(direction, length - headLength);
    const i = this.drawn.push(contact) - 1;
    this.shafts.set(i, matrix(at, direction, thick, length - headLength), colour);
    this.heads.set(i, matrix(neck, direction, HEAD.radius * thick, headLength), colour);
  }
}

const UP = new THREE.Vector3(0, 0, 1);

/** A force that most stay below (N). */
function referenceForce(recording: Recording): number {
  const { force } = recording.contacts;
  const sizes = Array.from({ length: force.length / 3 }, (_, c) => Math.hypot(force[3 * c], force[3 * c + 1], force[3 * c + 2]));
  const sorted = sizes.filter((size) => size > 0).sort((a, b) => a - b);
  if (sorted.length === 0) return 1;
  const typical = sorted[Math.floor(0.9 * (sorted.length - 1))];
  return Math.min(sorted[sorted.length - 1], IMPACT * typical);
}

/** The matrix that puts the z axis along a unit direction, with a radius and a length. */
function matrix(at: THREE.Vector3, direction: THREE.Vector3, radius: number, length: number): THREE.Matrix4 {
  const aside = Math.abs(direction.x) < 0.7 ? new THREE.Vector3(1, 0, 0) : new THREE.Vector3(0, 1, 0);
  const u = aside.cross(direction).normalize();
  const v = direction.clone().cross(u);
  return new THREE.Matrix4()
    .makeBasis(u.multiplyScalar(radius), v.multiplyScalar(radius), direction.clone().multiplyScalar(length))
    .setPosition(at);
}

/** Instances drawn twice: solid where they are in front, faint where something hides them. */
class Layered {
  readonly meshes: [THREE.InstancedMesh, THREE.InstancedMesh];

  constructor(geometry: THREE.BufferGeometry, capacity: number, opacity = HIDDEN) {
    const seen = new THREE.MeshLambertMaterial();
    const hidden = new THREE.MeshBasicMaterial({ transparent: true, opacity, depthFunc: THREE.GreaterDepth, depthWrite: false });
    this.meshes = [instanced(geometry, seen, capacity, 3), instanced(geometry, hidden, capacity, 2)];
    // One set of matrices and colours for both.
    this.meshes[1].instanceMatrix = this.meshes[0].instanceMatrix;
    this.meshes[1].instanceColor = this.meshes[0].instanceColor;
  }

  set(i: number, m: THREE.Matrix4, colour: THREE.Color): void {
    set(this.meshes[0], i, m, colour);
  }

  matrix(i: number): THREE.Matrix4 {
    const m = new THREE.Matrix4();
    this.meshes[0].getMatrixAt(i, m);
    return m;
  }

  colour(i: number): string {
    const colour = new THREE.Color();
    this.meshes[0].getColorAt(i, colour);
    return `#${colour.getHexString()}`;
  }

  finish(count: number): void {
    this.meshes.forEach((mesh) => finish(mesh, count));
  }
}

function glassy(opacity: number): THREE.Material {
  return new THREE.MeshBasicMaterial({ transparent: true, opacity, side: THREE.DoubleSide, forceSinglePass: true, depthWrite: false, depthTest: false });
}

function instanced(geometry: THREE.BufferGeometry, material: THREE.Material, capacity: number, order: number): THREE.InstancedMesh {
  const mesh = new THREE.InstancedMesh(geometry, material, capacity);
  mesh.setColorAt(0, new THREE.Color());
  mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
  mesh.frustumCulled = false;
  mesh.renderOrder = order;
  return mesh;
}

function set(mesh: THREE.InstancedMesh, i: number, m: THREE.Matrix4, colour: THREE.Color): void {
  mesh.setMatrixAt(i, m);
  mesh.setColorAt(i, colour);
}

function finish(mesh: THREE.InstancedMesh, count: number): void {
  mesh.count = count;
  mesh.instanceMatrix.needsUpdate = true;
  mesh.instanceColor!.needsUpdate = true;
}

function fromSegment(p: THREE.Vector2, a: THREE.Vector2, b: THREE.Vector2): number {
  const ab = b.clone().sub(a);
  const t = THREE.MathUtils.clamp(p.clone().sub(a).dot(ab) / Math.max(ab.lengthSq(), 1e-9), 0, 1);
  return p.distanceTo(a.clone().addScaledVector(ab, t));
}
