// The read-out of a frame: what every contact carries, and what every pair of geoms carries in all, added up as in
// `crates/stiction/src/report/forces.rs`.
//
// All of it is about the receiver, the geom whose arrow is drawn: forces act on it, and normals point to it. It is the
// geom that can move, or the pair's second if both can.

import { Vector3 } from "three";
import { number } from "./format";
import { largest, MODES, type Recording } from "./recording";

export interface ContactReadout {
  /** Number among the contacts of all frames. */
  index: number;
  /** Where the impulse acts (m). */
  point: Vector3;
  /** Unit vector to the receiver. */
  normal: Vector3;
  /** On the receiver (N). */
  force: Vector3;
  /** On the receiver (N s). */
  impulse: Vector3;
  /** Parts of the force (N). */
  normalForce: number;
  tangentialForce: number;
  /** m; negative when overlapping. */
  gap: number;
  /** Of a contact that sticks: slip over the step, and since it sticks (m). */
  slip: number;
  shift: number;
  law: string;
  /** Coefficient of dry friction: 0 without, infinite without slip. */
  mu: number;
  /** Code of the mode in `MODES`. */
  mode: number;
  /** Friction needed over friction available; without slip the coefficient needed; NaN where there is none. */
  margin: number;
}

export interface PairReadout {
  /** First and second, as in the recording. */
  geoms: [number, number];
  receiver: number;
  /** At least one. */
  contacts: ContactReadout[];
  /** Contacts that press. */
  pressing: number;
  /** Mean of the points, weighted by normal force; if none presses, the plain mean (m). */
  center: Vector3;
  /** Sum on the receiver (N). */
  force: Vector3;
  /** On the receiver, about the centre (N m). */
  moment: Vector3;
  /** Sum of the normal forces (N). */
  normalForce: number;
  /** The largest of its contacts; NaN if none has one. */
  margin: number;
}

/** The law that has no bound to its friction. */
const NO_SLIP = "no-slip";

/** A part of a force below this much of the whole is what single precision leaves. */
const ROUNDING = 2e-6;

/** Reads out frames; the last one asked for is kept. */
export class Readout {
  private frame = -1;
  private last: PairReadout[] = [];

  constructor(private readonly recording: Recording) {}

  /** Pairs of geoms with contacts, in the order of the recording. */
  pairs(frame: number): PairReadout[] {
    if (frame !== this.frame) {
      this.last = chunks(this.recording, frame).map((contacts) => this.pair(contacts));
      this.frame = frame;
    }
    return this.last;
  }

  private pair(indices: number[]): PairReadout {
    const { geom1, geom2 } = this.recording.contacts;
    const onFirst = this.recording.drawnOnFirst(indices[0]);
    const geoms: [number, number] = [geom1[indices[0]], geom2[indices[0]]];
    const contacts = indices.map((index) => this.contact(index, onFirst ? -1 : 1));
    const weight = (c: ContactReadout) => Math.max(c.normalForce, 0);
    // Any contact that is not open presses, if ever so little beside its tangential force.
    const pressing = contacts.filter((c) => c.normalForce > 0 || MODES[c.mode] !== "open").length;
    // Offsets from one of the points keep the digits that large coordinates would take.
    const origin = contacts[0].point;
    const offset = contacts.some((c) => c.normalForce > 0) ? mean(contacts, origin, weight) : mean(contacts, origin, () => 1);
    const center = offset.clone().add(origin);
    const moments = contacts.map((c) => c.point.clone().sub(origin).sub(offset).cross(c.force));
    return {
      geoms,
      receiver: geoms[onFirst ? 0 : 1],
      contacts,
      pressing,
      center,
      force: sum(contacts.map((c) => c.force)),
      moment: sum(moments),
      normalForce: contacts.reduce((total, c) => total + c.normalForce, 0),
      margin: largest(contacts.map((c) => c.margin)),
    };
  }

  private contact(index: number, sign: 1 | -1): ContactReadout {
    const { header, contacts } = this.recording;
    const vector = (numbers: Float64Array) => new Vector3().fromArray(numbers, 3 * index);
    const normal = vector(contacts.normal).multiplyScalar(sign);
    const force = vector(contacts.force).multiplyScalar(sign);
    const along = force.dot(normal);
    const across = force.clone().addScaledVector(normal, -along).length();
    const clean = (x: number) => (Math.abs(x) <= ROUNDING * force.length() ? 0 : x);
    return {
      index,
      point: vector(contacts.point),
      normal,
      force,
      impulse: force.clone().multiplyScalar(header.timestep),
      normalForce: clean(along),
      tangentialForce: clean(across),
      gap: contacts.gap[index],
      slip: contacts.slip[index],
      shift: contacts.shift[index],
      law: header.laws[contacts.law[index]],
      mu: contacts.mu[index],
      mode: contacts.mode[index],
      margin: contacts.margin[index],
    };
  }
}

/** The contacts of a frame by pair of geoms; those of a pair follow each other. */
function chunks(recording: Recording, frame: number): number[][] {
  const { ptr, geom1, geom2 } = recording.contacts;
  const found: number[][] = [];
  for (let c = ptr[frame]; c < ptr[frame + 1]; c++) {
    const same = c > ptr[frame] && geom1[c] === geom1[c - 1] && geom2[c] === geom2[c - 1];
    if (same) found[found.length - 1].push(c);
    else found.push([c]);
  }
  return found;
}

function mean(contacts: ContactReadout[], origin: Vector3, weight: (contact: ContactReadout) => number): Vector3 {
  const total = contacts.reduce((all, c) => all + weight(c), 0);
  return sum(contacts.map((c) => c.point.clone().sub(origin).multiplyScalar(weight(c)))).divideScalar(total);
}

function sum(vectors: Vector3[]): Vector3 {
  return vectors.reduce((total, x) => total.add(x), new Vector3());
}

/** What a mode is called. */
export function modeName(mode: number): string {
  return { open: "open", stick: "sticking", slip: "slipping" }[MODES[mode]];
}

/** The law of a contact with its coefficient. */
export function lawName({ law, mu }: ContactReadout): string {
  return mu > 0 && Number.isFinite(mu) ? `${law}, \u03bc\u202f=\u202f${Number(mu.toPrecision(4))}` : law;
}

/** The name of a pair: that of its geoms. */
export function pairName({ header }: Recording, { geoms }: { geoms: [number, number] }): string {
  return geoms.map((geom) => header.geoms[geom].name).join(" \u2194 ");
}

/** A margin as text. */
export function marginText(margin: number): string {
  return Number.isNaN(margin) ? "none" : number(margin);
}

/** What the margin of a contact is called, and its value. */
export function marginRow({ law, margin }: ContactReadout): [string, string] {
  return [law === NO_SLIP ? "Friction needed" : "Margin", marginText(margin)];
}
