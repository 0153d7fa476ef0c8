// Curves over time with a cursor, drawn on canvases. A click or drag jumps there.

import { ceil125, number, power, quantity, round125 } from "./format";
import { largest, type Recording } from "./recording";

interface Curve {
  label: string;
  values: Float64Array;
  /** The style sheet's colour variable. */
  colour: string;
}

interface PlotSpec {
  title: string;
  unit: string;
  curves: Curve[];
  log?: boolean;
  /** What a linear axis shows in any case, whatever the values. */
  shown?: [number, number];
}

/** Space for the numbers of the axes (pixels). */
const MARGIN = { left: 56, right: 8, top: 6, bottom: 18 };

/** Numbers of the time axis are at least so far apart (pixels). */
const APART = 40;

/** Larger margins, which only contacts without slip have, are shown on a logarithmic axis. */
const LARGE_MARGIN = 10;

/** A logarithmic axis does not go below this, nor over more decades than this. */
const SMALLEST = 1e-18;
const DECADES = 14;

/** The plots of a recording. */
export class Plots {
  private readonly plots: Plot[];

  constructor(parent: HTMLElement, recording: Recording, jump: (frame: number) => void) {
    const { energy, kinetic, residual, penetration, force, margin, time } = recording.series;
    const specs: PlotSpec[] = [
      {
        title: "Energy",
        unit: "J",
        curves: [
          { label: "total", values: energy, colour: "--line" },
          { label: "kinetic", values: kinetic, colour: "--line-2" },
        ],
      },
      { title: "Residual", unit: "", log: true, curves: [{ label: "", values: residual, colour: "--line" }] },
      { title: "Penetration", unit: "m", log: true, curves: [{ label: "", values: penetration, colour: "--line" }] },
      { title: "Contact forces", unit: "N", curves: [{ label: "", values: force, colour: "--line" }] },
      { title: "Largest margin", unit: "", log: largest(margin) > LARGE_MARGIN, shown: [0, 1], curves: [{ label: "", values: margin, colour: "--line" }] },
    ];
    this.plots = specs.map((spec) => new Plot(parent, spec, time, jump));
  }

  show(frame: number): void {
    this.plots.forEach((plot) => plot.show(frame));
  }

  paint(): void {
    this.plots.forEach((plot) => plot.paint());
  }
}

class Plot {
  private readonly canvas = document.createElement("canvas");
  private readonly cursor = document.createElement("div");
  private readonly values = document.createElement("span");
  private readonly box = document.createElement("div");
  private readonly range: [number, number];

  constructor(
    parent: HTMLElement,
    private readonly spec: PlotSpec,
    private readonly time: Float64Array,
    private readonly jump: (frame: number) => void,
  ) {
    const figure = document.createElement("figure");
    const caption = document.createElement("figcaption");
    const title = document.createElement("b");
    title.textContent = spec.title;
    caption.append(title, this.values);
    figure.className = "plot";
    this.box.className = "plot-box";
    this.cursor.className = "plot-cursor";
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", `${spec.title} over time`);
    this.box.append(this.canvas, this.cursor);
    figure.append(caption, this.box);
    parent.append(figure);
    this.range = spec.log ? logRange(spec.curves) : linearRange(spec.curves, spec.shown);
    this.box.addEventListener("pointerdown", (event) => {
      this.box.setPointerCapture(event.pointerId);
      this.jumpTo(event.clientX);
    });
    this.box.addEventListener("pointermove", (event) => {
      if (event.buttons & 1) this.jumpTo(event.clientX);
    });
    new ResizeObserver(() => this.paint()).observe(this.box);
  }

  show(frame: number): void {
    const { unit, curves } = this.spec;
    const each = curves.map(({ label, values, colour }) => {
      const text = document.createElement("span");
      text.textContent = `${label} ${Number.isNaN(values[frame]) ? "none" : quantity(values[frame], unit)}`.trim();
      if (label) text.style.setProperty("--dot", `var(${colour})`);
      text.className = label ? "dotted" : "";
      return text;
    });
    this.values.replaceChildren(...each);
    this.cursor.style.transform = `translateX(${this.x(this.time[frame])}px)`;
  }

  paint(): void {
    const { clientWidth: width, clientHeight: height } = this.box;
    if (!width || !height) return;
    const ratio = Math.min(devicePixelRatio, 2);
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    const context = this.canvas.getContext("2d")!;
    context.scale(ratio, ratio);
    const style = getComputedStyle(this.canvas);
    context.font = `11px ${style.fontFamily}`;
    this.axes(context, width, height, style);
    context.save();
    context.beginPath();
    context.rect(MARGIN.left, 0, width - MARGIN.left - MARGIN.right + 1, height - MARGIN.bottom + 1);
    context.clip();
    for (const curve of this.spec.curves.slice().reverse()) this.curve(context, width, height, curve, style);
    context.restore();
    this.cursor.style.top = `${MARGIN.top}px`;
    this.cursor.style.height = `${height - MARGIN.top - MARGIN.bottom}px`;
  }

  private get start(): number {
    return this.time[0];
  }

  /** Seconds shown, never 0. */
  private get span(): number {
    return this.time[this.time.length - 1] - this.start || 1e-9;
  }

  private x(time: number): number {
    const width = this.box.clientWidth - MARGIN.left - MARGIN.right;
    return MARGIN.left + ((time - this.start) / this.span) * width;
  }

  private y(value: number, height: number): number {
    const [low, high] = this.range;
    const at = this.spec.log ? Math.log10(Math.max(value, SMALLEST)) : value;
    return height - MARGIN.bottom - ((at - low) / (high - low)) * (height - MARGIN.top - MARGIN.bottom);
  }

  private jumpTo(clientX: number): void {
    const { left, width } = this.box.getBoundingClientRect();
    const part = (clientX - left - MARGIN.left) / (width - MARGIN.left - MARGIN.right);
    const time = this.start + Math.min(Math.max(part, 0), 1) * this.span;
    let frame = Math.round(((time - this.start) / this.span) * (this.time.length - 1));
    while (frame > 0 && this.time[frame - 1] >= time) frame--;
    this.jump(frame);
  }

  private axes(context: CanvasRenderingContext2D, width: number, height: number, style: CSSStyleDeclaration): void {
    const [low, high] = this.range;
    context.strokeStyle = style.getPropertyValue("--rule");
    context.fillStyle = style.getPropertyValue("--quiet");
    context.lineWidth = 1;
    context.textBaseline = "middle";
    context.textAlign = "right";
    const step = this.spec.log ? Math.max(1, Math.ceil((high - low) / 4)) : round125((high - low) / 2.2);
    for (let tick = Math.ceil(low / step - 1e-9) * step; tick <= high + 1e-9 * step; tick += step) {
      const y = Math.round(this.y(this.spec.log ? 10 ** tick : tick, height)) + 0.5;
      context.beginPath();
      context.moveTo(MARGIN.left, y);
      context.lineTo(width - MARGIN.right, y);
      context.stroke();
      const text = this.spec.log ? power(Math.round(tick)) : tickText(tick, step);
      context.fillText(text, MARGIN.left - 6, Math.min(Math.max(y, 6), height - MARGIN.bottom));
    }
    context.textBaseline = "alphabetic";
    context.textAlign = "center";
    const across = width - MARGIN.left - MARGIN.right;
    const seconds = ceil125(this.span * Math.max(APART / across, 1 / 6));
    for (let tick = Math.ceil(this.start / seconds) * seconds; tick <= this.start + this.span * 1.0001; tick += seconds) {
      const x = Math.min(this.x(tick), width - MARGIN.right - 10);
      context.fillText(`${Number(tick.toPrecision(6))}\u202fs`, x, height - 4);
    }
  }

  /**
   * A curve; where several frames share a pixel, all from the least to the largest is filled. It is interrupted where
   * there are no values (NaN).
   */
  private curve(context: CanvasRenderingContext2D, width: number, height: number, { values, colour }: Curve, style: CSSStyleDeclaration): void {
    context.strokeStyle = style.getPropertyValue(colour);
    context.lineWidth = 1.4;
    context.lineJoin = "round";
    context.beginPath();
    const columns = Math.max(1, Math.round(width - MARGIN.left - MARGIN.right));
    const frames = values.length;
    const each = Math.max(1, frames / columns);
    let drawing = false;
    for (let start = 0; start < frames; start += each) {
      const [first, end] = [Math.floor(start), Math.min(frames, Math.max(Math.floor(start + each), Math.floor(start) + 1))];
      const known = values.subarray(first, end).filter((value) => !Number.isNaN(value));
      if (known.length === 0) {
        drawing = false;
        continue;
      }
      const [least, largest] = extremes(known);
      const x = this.x(this.time[first]);
      // Enter with the first value and leave with the last, so that the line does not zigzag.
      if (!drawing) context.moveTo(x - 0.5, this.y(known[0], height));
      drawing = true;
      context.lineTo(x, this.y(known[0], height));
      if (largest > least) {
        context.lineTo(x, this.y(least, height));
        context.lineTo(x, this.y(largest, height));
      }
      context.lineTo(x, this.y(known[known.length - 1], height));
    }
    context.stroke();
  }
}

/** A tick's number with the decimals that tell it from its neighbours. */
function tickText(tick: number, step: number): string {
  if (Math.abs(tick) < 1e-9 * step) return "0";
  const size = Math.abs(tick);
  const digits = Math.floor(Math.log10(size) + 1e-9) - Math.floor(Math.log10(step) + 1e-9) + 1;
  if (size >= 1e5 || size < 1e-3) return number(tick, Math.min(digits, 3));
  return tick.toFixed(Math.min(9, Math.max(0, -Math.floor(Math.log10(step) + 1e-9)))).replace("-", "\u2212");
}

/** The least and the largest value; NaN does not count. */
function extremes(values: Iterable<number>): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return [low, high];
}

function linearRange(curves: Curve[], shown: number[] = []): [number, number] {
  const ends = [...curves.flatMap(({ values }) => extremes(values)), ...shown];
  let [low, high] = extremes(ends.filter(Number.isFinite));
  // What does not change but for rounding is drawn as a line in the middle.
  const size = Math.max(Math.abs(low), Math.abs(high));
  if (high - low < Math.max(1e-5 * size, 1e-9)) {
    const [middle, half] = [(low + high) / 2, Math.max(0.05 * size, 0.5)];
    [low, high] = [middle - half, middle + half];
  }
  const room = 0.06 * (high - low);
  return [low - (low === 0 ? 0 : room), high + room];
}

/** Whole decades around what is positive. */
function logRange(curves: Curve[]): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (const { values } of curves) {
    for (const value of values) {
      if (!(value > SMALLEST)) continue;
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  }
  if (low > high) return [-17, -9];
  const top = Math.ceil(Math.log10(high) + 0.2);
  const bottom = Math.max(Math.floor(Math.log10(low) - 0.2), top - DECADES);
  return [Math.min(bottom, top - 2), top];
}
