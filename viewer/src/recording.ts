// The recording that the page plays. A frame is one recorded step (every k-th, k = `stride`); nothing is interpolated.

import { type Column, ColumnReader, inflate } from "./columns";

/** Version of the data, as in `crates/stiction-page/src/header.rs`. */
const FORMAT = 5;

export type ShapeName = "plane" | "sphere" | "capsule" | "box" | "cylinder" | "ellipsoid" | "mesh" | "hfield";

export interface Body {
  name: string;
  /** kg */
  mass: number;
  /** The world or fixed to it. */
  fixed: boolean;
}

export interface Geom {
  name: string;
  body: number;
  shape: ShapeName;
  size: [number, number, number];
  data: number;
  position: [number, number, number];
  /** w first */
  orientation: [number, number, number, number];
  rgba: [number, number, number, number] | null;
}

/** Worst of a certificate's field over all steps. */
export interface WorstField {
  name: string;
  title: string;
  unit: string;
  value: number;
}

interface Header {
  format: number;
  scene: string;
  contact_model: string;
  solver: string;
  timestep: number;
  gravity: [number, number, number];
  steps: number;
  stride: number;
  frames: number;
  bodies: Body[];
  geoms: Geom[];
  /** Joints, connects and welds that transmit something. */
  joints: string[];
  actuators: string[];
  tendons: string[];
  /** Names of the laws, by code. */
  laws: string[];
  meshes: [number, number][];
  height_fields: [number, number][];
  energy: number;
  worst: WorstField[];
  unsolved_steps: number;
  /** Steps in which a stepper handed bodies back, and the reasons with their counts. */
  hand_back_steps: number;
  hand_backs: [string, number][];
  columns: Column[];
}

export interface Mesh {
  vertices: Float64Array;
  triangles: Float64Array;
}

export interface HeightField {
  rows: number;
  columns: number;
  heights: Float64Array;
}

/** Contact modes, by code. */
export const MODES = ["open", "stick", "slip"] as const;

type Vector = [number, number, number];

/** Contacts of all frames, one after the other. */
export interface Contacts {
  /** Frame i has the contacts ptr[i] .. ptr[i + 1]. */
  ptr: Int32Array;
  geom1: Int32Array;
  geom2: Int32Array;
  /** m, three numbers each */
  point: Float64Array;
  /** From geom 1 to geom 2, three numbers each. */
  normal: Float64Array;
  /** On geom 2, N, three numbers each. */
  force: Float64Array;
  gap: Float64Array;
  /** Of contacts that stick: slip over the step, and since they stick (m). */
  slip: Float64Array;
  shift: Float64Array;
  /** Friction needed over friction available; without slip the coefficient needed; NaN where there is none. */
  margin: Float64Array;
  /** Coefficient of dry friction; infinite without slip. */
  mu: Float64Array;
  /** Code in `laws` of the header. */
  law: Uint8Array;
  mode: Uint8Array;
}

/** Curves over the frames. */
export interface Series {
  time: Float64Array;
  energy: Float64Array;
  kinetic: Float64Array;
  residual: Float64Array;
  penetration: Float64Array;
  /** Sum of the sizes of all contact forces (N). */
  force: Float64Array;
  /** Largest margin of the frame's contacts; NaN where none has one. */
  margin: Float64Array;
  /** Steps not solved, among those the frame stands for. */
  unsolved: Float64Array;
}

export class Recording {
  readonly header: Header;
  readonly meshes: Mesh[];
  readonly heightFields: HeightField[];
  readonly contacts: Contacts;
  readonly series: Series;
  private readonly position: Float64Array;
  private readonly orientation: Float64Array;
  private readonly speeds: Float64Array;
  private readonly transmitted: Record<"force" | "moment" | "actuator" | "tendon", Float64Array>;

  constructor(header: Header, bytes: Uint8Array) {
    const reader = new ColumnReader(header.columns, bytes);
    const read = (name: string, tracks?: Float64Array) => reader.read(name, header.frames, tracks);
    this.header = header;
    this.meshes = meshes(header, read("mesh_vertex"), read("mesh_triangle"));
    this.heightFields = heightFields(header, read("height"));
    this.position = read("position");
    this.orientation = read("orientation");
    this.speeds = read("speed");
    const energy = read("energy").map((x) => x + header.energy);
    const series = {
      energy,
      kinetic: read("kinetic"),
      residual: read("residual"),
      penetration: read("penetration"),
      unsolved: read("unsolved"),
      time: read("time"),
    };
    this.transmitted = {
      force: read("joint_force"),
      moment: read("joint_moment"),
      actuator: read("actuator_force"),
      tendon: read("tendon_tension"),
    };
    this.contacts = contacts(header.frames, read);
    const { ptr, margin } = this.contacts;
    const largestMargin = Float64Array.from({ length: header.frames }, (_, i) => largest(margin.subarray(ptr[i], ptr[i + 1])));
    this.series = { ...series, force: totalForce(header.frames, this.contacts), margin: largestMargin };
  }

  get frames(): number {
    return this.header.frames;
  }

  /** Number of the recorded step that a frame shows, counted from 1. */
  step(frame: number): number {
    const { stride, steps } = this.header;
    return Math.min((frame + 1) * stride, steps);
  }

  /** Position of a body's origin (m). */
  place(frame: number, body: number): Vector {
    const at = (k: number) => this.position[(3 * body + k) * this.frames + frame];
    return [at(0), at(1), at(2)];
  }

  /** Quaternion of a body, w first, not quite of length 1. */
  turn(frame: number, body: number): [number, number, number, number] {
    const at = (k: number) => this.orientation[(4 * body + k) * this.frames + frame];
    return [at(0), at(1), at(2), at(3)];
  }

  /** Speed of a body's origin, averaged over the step (m/s). */
  speed(frame: number, body: number): number {
    return this.speeds[body * this.frames + frame];
  }

  /** What a joint, connect or weld transmits to the child or second body: force (N) and moment about its point (N m). */
  joint(frame: number, joint: number): { force: Vector; moment: Vector } {
    const { force, moment } = this.transmitted;
    const at = (values: Float64Array) => [0, 1, 2].map((k) => values[(3 * joint + k) * this.frames + frame]) as Vector;
    return { force: at(force), moment: at(moment) };
  }

  /** Force of an actuator before its gear, or tension of a tendon (N, or N m where it turns something). */
  pull(frame: number, kind: "actuator" | "tendon", index: number): number {
    return this.transmitted[kind][index * this.frames + frame];
  }

  /** The frame whose time is nearest. */
  frameAt(time: number): number {
    const times = this.series.time;
    let [low, high] = [0, this.frames - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (times[middle] < time) low = middle + 1;
      else high = middle;
    }
    return low > 0 && time - times[low - 1] < times[low] - time ? low - 1 : low;
  }

  /**
   * Whether the arrow of a contact is the force on the first geom: it is drawn on the body that can move, and on the
   * second if both can.
   */
  drawnOnFirst(contact: number): boolean {
    const fixed = (geom: number) => this.header.bodies[this.header.geoms[geom].body].fixed;
    return fixed(this.contacts.geom2[contact]) && !fixed(this.contacts.geom1[contact]);
  }
}

/** Reads the recording that stands in the page. */
export async function load(): Promise<Recording> {
  const text = (id: string) => document.getElementById(id)?.textContent ?? "";
  if (!text("recording-header")) throw new Error("There is no recording in this page.");
  const header = JSON.parse(text("recording-header")) as Header;
  if (header.format !== FORMAT) throw new Error(`This page's data is of version ${header.format}, not ${FORMAT}.`);
  if (typeof DecompressionStream === "undefined") {
    throw new Error("This browser cannot inflate data (DecompressionStream is missing). Any from 2023 on can.");
  }
  return new Recording(header, await inflate(text("recording-data")));
}

type Read = (name: string, tracks?: Float64Array) => Float64Array;

function meshes(header: Header, vertex: Float64Array, triangle: Float64Array): Mesh[] {
  let [v, t] = [0, 0];
  return header.meshes.map(([vertices, triangles]) => {
    const mesh = { vertices: vertex.slice(v, v + 3 * vertices), triangles: triangle.slice(t, t + 3 * triangles) };
    v += 3 * vertices;
    t += 3 * triangles;
    return mesh;
  });
}

function heightFields(header: Header, height: Float64Array): HeightField[] {
  let at = 0;
  return header.height_fields.map(([rows, columns]) => {
    const heights = height.slice(at, at + rows * columns);
    at += rows * columns;
    return { rows, columns, heights };
  });
}

/** From tracks to frames: walking the tracks in order, each contact goes to the end of its frame's list. */
function contacts(frames: number, read: Read): Contacts {
  const lengths = read("track_length");
  const starts = read("track_start");
  const [first, second] = [read("track_geom1"), read("track_geom2")];

  const ptr = new Int32Array(frames + 1);
  lengths.forEach((length, track) => {
    for (let i = 0; i < length; i++) ptr[starts[track] + i + 1]++;
  });
  for (let frame = 0; frame < frames; frame++) ptr[frame + 1] += ptr[frame];

  const count = ptr[frames];
  const place = new Int32Array(count);
  const [geom1, geom2] = [new Int32Array(count), new Int32Array(count)];
  const cursor = ptr.slice();
  let from = 0;
  lengths.forEach((length, track) => {
    for (let i = 0; i < length; i++) {
      const to = cursor[starts[track] + i]++;
      place[from++] = to;
      geom1[to] = first[track];
      geom2[to] = second[track];
    }
  });

  const vectors = { point: new Float64Array(3 * count), normal: new Float64Array(3 * count), force: new Float64Array(3 * count) };
  ["x", "y", "z"].forEach((axis, k) => {
    for (const name of ["point", "normal", "force"] as const) {
      read(`contact_${name}_${axis}`, lengths).forEach((x, i) => (vectors[name][3 * place[i] + k] = x));
    }
  });
  const ordered = (name: string) => {
    const values = new Float64Array(count);
    read(name, lengths).forEach((x, i) => (values[place[i]] = x));
    return values;
  };
  const [gap, slip, shift] = ["gap", "slip", "shift"].map((name) => ordered(`contact_${name}`));
  const margin = ordered("contact_margin").map((x) => (x < 0 ? NaN : x));
  // The largest number of single precision stands for infinity.
  const mu = ordered("contact_mu").map((x) => (x > 3.4e38 ? Infinity : x));
  const [law, mode] = ["contact_law", "contact_mode"].map((name) => Uint8Array.from(ordered(name)));
  return { ptr, geom1, geom2, ...vectors, gap, slip, shift, margin, mu, law, mode };
}

/** The largest margin; NaN if there is none. */
export function largest(margins: ArrayLike<number>): number {
  let found = NaN;
  for (let i = 0; i < margins.length; i++) {
    if (!(margins[i] <= found) && !Number.isNaN(margins[i])) found = margins[i];
  }
  return found;
}

function totalForce(frames: number, { ptr, force }: Contacts): Float64Array {
  const total = new Float64Array(frames);
  for (let frame = 0; frame < frames; frame++) {
    for (let c = ptr[frame]; c < ptr[frame + 1]; c++) {
      total[frame] += Math.hypot(force[3 * c], force[3 * c + 1], force[3 * c + 2]);
    }
  }
  return total;
}
