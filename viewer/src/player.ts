// Which frame is shown, and how it moves on.

import type { Recording } from "./recording";

/** Seconds of the recording per second. */
export const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 5];

export class Player {
  frame = 0;
  playing = false;
  speed = 1;
  /** The time reached in the recording, between frames too (s). */
  private time = 0;
  private last = 0;

  constructor(
    private readonly recording: Recording,
    private readonly changed: () => void,
  ) {}

  /** Shows a frame; out of range, the nearest. */
  jump(frame: number): void {
    this.frame = Math.min(Math.max(Math.round(frame), 0), this.recording.frames - 1);
    this.time = this.recording.series.time[this.frame];
    this.changed();
  }

  /** Pauses and moves by frames. */
  by(frames: number): void {
    this.playing = false;
    this.jump(this.frame + frames);
  }

  /** Plays from here, or from the start at the end; or pauses. */
  toggle(): void {
    this.playing = !this.playing;
    if (this.playing) {
      if (this.frame === this.recording.frames - 1) this.frame = 0;
      this.jump(this.frame);
      this.last = performance.now();
      requestAnimationFrame((now) => this.advance(now));
    } else {
      this.changed();
    }
  }

  private advance(now: number): void {
    if (!this.playing) return;
    // A slow picture skips frames; a tab that was away does not leap.
    this.time += Math.min(now - this.last, 250) * 1e-3 * this.speed;
    this.last = now;
    const times = this.recording.series.time;
    const before = this.frame;
    this.frame = this.recording.frameAt(this.time);
    if (this.time >= times[times.length - 1]) this.playing = false;
    if (this.frame !== before || !this.playing) this.changed();
    requestAnimationFrame((next) => this.advance(next));
  }
}
