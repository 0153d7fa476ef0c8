// What the pointer is on, choosing it with a click, and following a body on a double click.

import * as THREE from "three";
import { find } from "./dom";
import type { Forces, Picked } from "./forces";
import type { Player } from "./player";
import type { Recording } from "./recording";
import type { Selection } from "./selection";
import type { Stage } from "./stage";
import { bodyTip, contactTip, pairTip, showTip, type Tip } from "./tip";

/** Pixels from a contact within which the pointer is on it. */
const NEAR = 9;

/** Pixels that the pointer may move between press and release of a click; beyond, it turned the scene. */
const STEADY = 4;

export class Pointer {
  private readonly canvas = find<HTMLCanvasElement>("view");
  private readonly tip = find("tip");
  private at: { x: number; y: number } | null = null;
  private pressed = { x: 0, y: 0 };
  private waiting = false;

  constructor(
    private readonly recording: Recording,
    private readonly stage: Stage | null,
    private readonly forces: Forces,
    private readonly player: Player,
    private readonly selection: Selection,
  ) {
    if (!stage) return;
    this.canvas.addEventListener("pointermove", (event) => {
      this.at = event.buttons ? null : { x: event.offsetX, y: event.offsetY };
      this.refresh();
    });
    this.canvas.addEventListener("pointerup", (event) => {
      this.at = { x: event.offsetX, y: event.offsetY };
      this.refresh();
    });
    this.canvas.addEventListener("pointerleave", () => {
      this.at = null;
      this.refresh();
    });
    this.canvas.addEventListener("pointerdown", (event) => {
      this.pressed = { x: event.offsetX, y: event.offsetY };
    });
    // Where the button went down: clicks come with whole pixels, which may be just off what the pointer is on.
    this.canvas.addEventListener("click", (event) => this.choose(event.offsetX, event.offsetY));
    this.canvas.addEventListener("dblclick", (event) => this.follow(event.offsetX, event.offsetY));
    addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      this.release();
      this.selection.clear();
    });
    stage.controls.addEventListener("change", () => this.refresh());
  }

  /** Says anew what the pointer is on, with the next picture. */
  refresh(): void {
    if (this.waiting || (!this.at && this.tip.hidden)) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.say();
    });
  }

  private say(): void {
    this.tip.hidden = true;
    if (!this.at || !this.stage) return;
    const { x, y } = this.at;
    const tip = this.tipAt(x, y);
    if (tip) showTip(this.tip, tip, x, y);
  }

  private tipAt(x: number, y: number): Tip | null {
    const picked = this.pick(x, y);
    if (picked) {
      const { pair, place } = picked;
      return place === null ? pairTip(this.recording, pair) : contactTip(this.recording, pair, pair.contacts[place]);
    }
    const hit = this.stage?.pick(...this.normalized(x, y));
    return hit ? bodyTip(this.recording, this.player.frame, hit.geom) : null;
  }

  /** Chooses the contact or pair that was clicked on. */
  private choose(x: number, y: number): void {
    if (Math.hypot(x - this.pressed.x, y - this.pressed.y) > STEADY) return;
    const picked = this.pick(this.pressed.x, this.pressed.y);
    if (picked) this.selection.select(picked.pair.geoms, picked.place);
  }

  private pick(x: number, y: number): Picked | null {
    return this.forces.pick(new THREE.Vector2(x, y), NEAR, (point) => this.pixels(point));
  }

  private follow(x: number, y: number): void {
    const hit = this.stage?.pick(...this.normalized(x, y));
    if (!hit) return this.release();
    const body = this.recording.header.geoms[hit.geom].body;
    this.stage?.setFollowed(body);
    const note = find("following");
    note.textContent = `Following ${this.recording.header.bodies[body].name} \u2013 Esc lets go`;
    note.hidden = false;
  }

  private release(): void {
    this.stage?.setFollowed(null);
    find("following").hidden = true;
  }

  private normalized(x: number, y: number): [number, number] {
    return [(2 * x) / this.canvas.clientWidth - 1, 1 - (2 * y) / this.canvas.clientHeight];
  }

  private pixels(point: THREE.Vector3): THREE.Vector2 | null {
    const at = point.clone().project(this.stage!.camera);
    if (at.z > 1) return null;
    return new THREE.Vector2(((at.x + 1) / 2) * this.canvas.clientWidth, ((1 - at.y) / 2) * this.canvas.clientHeight);
  }
}
