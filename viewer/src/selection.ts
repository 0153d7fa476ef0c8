// What the reader has chosen to read: a pair of geoms, and maybe one of its contacts. It lasts from frame to frame.

import type { PairReadout } from "./readout";

export class Selection {
  private geoms: [number, number] | null = null;
  /** Place of the contact among those of its pair. */
  place: number | null = null;
  /** Called after each change. */
  changed: () => void = () => {};

  select(geoms: [number, number], place: number | null = null): void {
    [this.geoms, this.place] = [geoms, place];
    this.changed();
  }

  clear(): void {
    [this.geoms, this.place] = [null, null];
    this.changed();
  }

  /** The geoms of the pair chosen. */
  get pair(): [number, number] | null {
    return this.geoms;
  }

  /** Whether a pair is the one chosen. */
  has({ geoms }: PairReadout): boolean {
    return this.geoms?.[0] === geoms[0] && this.geoms[1] === geoms[1];
  }
}
