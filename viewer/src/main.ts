// Puts the page together: recording, scene, forces, plots, player, and what the reader does with them.

import * as THREE from "three";
import { find, make } from "./dom";
import { type Arrow, Forces } from "./forces";
import { count, number, quantity, round125 } from "./format";
import { Panel } from "./panel";
import { Player, SPEEDS } from "./player";
import { Plots } from "./plots";
import { Pointer } from "./pointer";
import { type PairReadout, modeName, Readout } from "./readout";
import { load, MODES, type Recording } from "./recording";
import { Selection } from "./selection";
import { Stage } from "./stage";
import "./style.css";
import { onThemeChange, theme } from "./theme";

/** In windows less wide than this (pixels) the read-out is closed at first. */
const WIDE = 1200;

declare global {
  interface Window {
    /** For scripts: what is shown, and jumping elsewhere. */
    stiction: {
      ready: boolean;
      error?: string;
      frames: number;
      /** Frame shown. */
      frame(): number;
      /** Number of the recorded step shown, from 1. */
      step(): number;
      jump(frame: number): void;
      /** The arrows in the scene: the contact's number among those of all frames, tail (m), force (N), colour. */
      arrows(): Arrow[];
      /** The read-out of the frame. */
      pairs(): PairReadout[];
      /** What joints, connects and welds transmit in the frame (N, N m), actuators and tendons. */
      transmitted(): { joints: { force: number[]; moment: number[] }[]; actuators: number[]; tendons: number[] };
      /** The centres of pressure in the scene: geoms of the pair and place (m). */
      markers(): { geoms: number[]; point: number[] }[];
      /** Draws now instead of with the next picture. */
      draw(): void;
    };
  }
}

window.stiction = { ready: false, frames: 0, frame: () => 0, step: () => 0, jump() {}, arrows: () => [], pairs: () => [], transmitted: () => ({ joints: [], actuators: [], tendons: [] }), markers: () => [], draw() {} };

load()
  .then(start)
  .catch((error: Error) => {
    window.stiction.error = error.message;
    find("stage").append(make("p", "failure", error.message));
  });

function start(recording: Recording): void {
  headline(recording);
  const stage = makeStage(recording);
  const readout = new Readout(recording);
  const selection = new Selection();
  const forces = new Forces(recording, readout, selection, stage?.radius ?? 1);
  stage?.scene.add(forces.group);
  const player = new Player(recording, () => show());
  const plots = new Plots(find("plots"), recording, (frame) => player.jump(frame));
  const panel = new Panel(find("readout"), recording, readout, selection);
  const pointer = new Pointer(recording, stage, forces, player, selection);

  function show(): void {
    stage?.show(player.frame);
    forces.show(player.frame);
    plots.show(player.frame);
    panel.show(player.frame);
    clock(recording, player);
    pointer.refresh();
  }
  selection.changed = () => {
    // Who chooses wants to read.
    const numbers = find<HTMLInputElement>("numbers");
    if (selection.pair && !numbers.checked) numbers.click();
    panel.reveal();
    forces.again();
    stage?.invalidate();
  };
  if (stage) stage.beforeDraw = () => (legendScale(stage, forces), axes(stage));

  transport(recording, player);
  options(stage, forces, panel);
  keys(player);
  legend(forces);
  onThemeChange(() => {
    stage?.paint();
    forces.again();
    plots.paint();
    panel.show();
    legend(forces);
    marks(recording);
  });
  player.jump(0);
  stage?.draw();
  Object.assign(window.stiction, {
    ready: true,
    frames: recording.frames,
    frame: () => player.frame,
    step: () => recording.step(player.frame),
    jump: (frame: number) => player.jump(frame),
    arrows: () => forces.arrows(),
    pairs: () => readout.pairs(player.frame),
    transmitted: () => ({
      joints: recording.header.joints.map((_, i) => recording.joint(player.frame, i)),
      actuators: recording.header.actuators.map((_, i) => recording.pull(player.frame, "actuator", i)),
      tendons: recording.header.tendons.map((_, i) => recording.pull(player.frame, "tendon", i)),
    }),
    markers: () => forces.markers(),
    draw: () => stage?.draw(),
  });
}

/** The scene, or a sentence where there is no WebGL; everything else works without. */
function makeStage(recording: Recording): Stage | null {
  try {
    return new Stage(find<HTMLCanvasElement>("view"), recording);
  } catch (error) {
    find("stage").append(make("p", "failure", `The scene cannot be drawn: ${(error as Error).message}`));
    return null;
  }
}

function headline({ header }: Recording): void {
  const { worst, unsolved_steps: unsolved, hand_back_steps: handed, steps, stride } = header;
  const name = header.scene || "scene";
  document.title = `${name} \u2013 stiction`;
  find("scene").textContent = name;
  const facts = [
    `${count(steps)} steps of ${Number((header.timestep * 1e3).toPrecision(6))}\u202fms`,
    `${header.contact_model}, ${header.solver}`,
  ];
  if (stride > 1) facts.splice(1, 0, `every ${stride}${ordinal(stride)} step shown`);
  find("facts").textContent = facts.join(" \u00b7 ");

  const rows: [string, string, boolean?][] = [
    // What is exactly zero is one entry for all.
    ...worst
      .filter(({ value }) => value !== 0)
      .map(({ title, unit, value }): [string, string] => [title, unit ? quantity(value, unit, 2) : number(value, 2)]),
    ...(worst.some(({ value }) => value === 0) ? [["all else", "0"] as [string, string]] : []),
    ...(handed ? [["handed back", `${count(handed)} steps`] as [string, string]] : []),
    ...header.hand_backs.map(([reason, sets]): [string, string] => [reason, count(sets)]),
    ["unsolved", unsolved ? `${count(unsolved)} steps` : "none", unsolved > 0],
  ];
  find("worst").replaceChildren(
    ...rows.map(([term, value, bad]) => {
      const row = make("div", bad ? "bad" : "");
      row.append(make("dt", "", term), make("dd", "", value));
      return row;
    }),
  );
}

function ordinal(n: number): string {
  const last = n % 100 > 10 && n % 100 < 14 ? 0 : n % 10;
  return ["th", "st", "nd", "rd"][last] ?? "th";
}

function clock(recording: Recording, player: Player): void {
  const { time } = recording.series;
  const decimals = Math.min(6, Math.max(2, Math.ceil(-Math.log10(recording.header.timestep) - 1e-9)));
  const end = time[time.length - 1];
  const clock = find<HTMLOutputElement>("clock");
  const now = make("b", "", `${time[player.frame].toFixed(decimals)}\u202fs`);
  const step = make("span", "", `step ${count(recording.step(player.frame))} of ${count(recording.header.steps)}`);
  clock.replaceChildren(now, step);
  const slider = find<HTMLInputElement>("time");
  slider.value = String(player.frame);
  slider.setAttribute("aria-valuetext", `${time[player.frame].toFixed(decimals)} of ${end.toFixed(decimals)} seconds`);
  const play = find("play");
  play.classList.toggle("playing", player.playing);
  play.setAttribute("aria-label", player.playing ? "Pause" : "Play");
}

function transport(recording: Recording, player: Player): void {
  const click = (id: string, action: () => void) => find(id).addEventListener("click", action);
  click("first", () => player.by(-Infinity));
  click("back", () => player.by(-1));
  click("play", () => player.toggle());
  click("forward", () => player.by(1));
  click("last", () => player.by(Infinity));
  const slider = find<HTMLInputElement>("time");
  slider.max = String(recording.frames - 1);
  slider.addEventListener("input", () => player.jump(Number(slider.value)));
  const speed = find<HTMLSelectElement>("speed");
  speed.append(...SPEEDS.map((s) => new Option(`${s}\u00d7`, String(s), s === 1, s === 1)));
  speed.addEventListener("change", () => (player.speed = Number(speed.value)));
  new ResizeObserver(() => marks(recording)).observe(find("marks"));
}

/** Marks steps that were not solved on the time line. */
function marks(recording: Recording): void {
  const canvas = find<HTMLCanvasElement>("marks");
  const { clientWidth: width, clientHeight: height } = canvas;
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext("2d");
  if (!context) return;
  context.fillStyle = getComputedStyle(canvas).getPropertyValue("--bad");
  const { unsolved } = recording.series;
  // The slider's thumb is 16 pixels wide and stays inside.
  const x = (frame: number) => 8 + ((width - 16) * frame) / Math.max(1, recording.frames - 1);
  unsolved.forEach((n, frame) => {
    if (n > 0) context.fillRect(x(frame) - 1, 0, 2, height);
  });
}

function options(stage: Stage | null, forces: Forces, panel: Panel): void {
  const check = (id: string, action: (on: boolean) => void) => {
    const box = find<HTMLInputElement>(id);
    box.addEventListener("change", () => {
      action(box.checked);
      forces.again();
      stage?.invalidate();
    });
  };
  check("arrows", (on) => (forces.showArrows = on));
  check("cones", (on) => (forces.showCones = on));
  check("centers", (on) => (forces.showCenters = on));
  check("margins", (on) => {
    forces.colourByMargin = on;
    legend(forces);
  });
  check("glass", (on) => stage?.setGlass(on));
  const length = find<HTMLInputElement>("length");
  length.addEventListener("input", () => {
    forces.scale = forces.defaultScale * 10 ** Number(length.value);
    forces.again();
    stage?.invalidate();
  });
  find("fit").addEventListener("click", () => stage?.fit());
  check("numbers", (on) => (panel.open = on));
  if (innerWidth < WIDE) find("numbers").click();
}

function keys(player: Player): void {
  const click = (id: string) => () => find(id).click();
  const actions: Record<string, (far: boolean) => void> = {
    " ": () => player.toggle(),
    ArrowLeft: (far) => player.by(far ? -10 : -1),
    ArrowRight: (far) => player.by(far ? 10 : 1),
    Home: () => player.by(-Infinity),
    End: () => player.by(Infinity),
    a: click("arrows"),
    c: click("cones"),
    p: click("centers"),
    m: click("margins"),
    r: click("numbers"),
    t: click("glass"),
    f: click("fit"),
  };
  addEventListener("keydown", (event) => {
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    // What has the focus keeps the keys it knows itself.
    if (target instanceof HTMLSelectElement || target.id === "length") return;
    if (event.key === " " && (target instanceof HTMLButtonElement || (target as HTMLInputElement).type === "checkbox")) return;
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action) return;
    event.preventDefault();
    action(event.shiftKey);
  });
}

/** What the colours mean. */
function legend(forces: Forces): void {
  const { modes, margins, noMargin, mark } = theme();
  const item = (text: string, colour: string, className = "") => {
    const item = make("li", className, text);
    item.style.setProperty("--dot", colour);
    return item;
  };
  const items = forces.colourByMargin
    ? [ramp(margins), item("no margin", noMargin)]
    : MODES.map((_, mode) => item(modeName(mode), modes[mode]));
  find("colours").replaceChildren(...items, item("centre of pressure", mark, "diamond"));
}

/** The colours of margins from 0 to 1. */
function ramp(colours: string[]): HTMLElement {
  const item = make("li", "ramp");
  item.title = "Friction needed over friction available; at 1 a contact slips. Without slip, the coefficient needed.";
  item.style.setProperty("--ramp", `linear-gradient(to right, ${colours.join(", ")})`);
  item.append(make("span", "", "0"), make("span", "", "margin"), make("span", "", "1"));
  return item;
}

/** A bar as long as the arrow of a round force in the middle of the scene. */
function legendScale(stage: Stage, forces: Forces): void {
  const distance = stage.camera.position.distanceTo(stage.controls.target);
  const height = 2 * distance * Math.tan((stage.camera.fov * Math.PI) / 360);
  const pixelsPerNewton = (forces.scale * find("view").clientHeight) / height;
  const force = round125(110 / pixelsPerNewton);
  if (!Number.isFinite(force) || force <= 0) return;
  find("scale-bar").style.width = `${force * pixelsPerNewton}px`;
  find("scale-text").textContent = quantity(force, "N", 1);
}

/** The directions of the world's axes on the screen. */
function axes(stage: Stage): void {
  const turn = stage.camera.quaternion.clone().invert();
  const ends = (["x", "y", "z"] as const).map((name, k) => {
    const v = new THREE.Vector3().setComponent(k, 1).applyQuaternion(turn);
    return { name, v };
  });
  ends.sort((a, b) => a.v.z - b.v.z);
  find<SVGElement>("axes").innerHTML = ends
    .map(({ name, v }) => {
      const [x, y] = [20 * v.x, -20 * v.y];
      return `<line class="${name}" x2="${x.toFixed(1)}" y2="${y.toFixed(1)}"/><text class="${name}" x="${(1.32 * x).toFixed(1)}" y="${(1.32 * y + 3.5).toFixed(1)}">${name}</text>`;
    })
    .join("");
}
