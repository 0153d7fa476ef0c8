// What the pointer is on: a contact with its numbers, or a body with its.

import { count, number, quantity } from "./format";
import { MODES, type Recording } from "./recording";

type Row = [string, string];

/** The rows about a contact. */
export function contactRows(recording: Recording, contact: number): { title: string; mode: number; rows: Row[] } {
  const { geom1, geom2, gap, mu, mode, force, normal } = recording.contacts;
  const geoms = recording.header.geoms;
  const f = [0, 1, 2].map((k) => force[3 * contact + k]);
  const n = [0, 1, 2].map((k) => normal[3 * contact + k]);
  const along = f[0] * n[0] + f[1] * n[1] + f[2] * n[2];
  const size = Math.hypot(f[0], f[1], f[2]);
  const across = Math.hypot(...f.map((x, k) => x - along * n[k]));
  // Below what single precision says about the force.
  const clean = (x: number) => (Math.abs(x) < 2e-6 * size ? 0 : x);
  const rows: Row[] = [
    ["Mode", MODES[mode[contact]]],
    ["Gap", quantity(gap[contact], "m", 3)],
    ["Normal force", quantity(clean(along), "N")],
    ["Tangential force", quantity(clean(across), "N")],
    ["Friction coefficient", mu[contact] > 0 ? number(mu[contact], 3) : "frictionless"],
  ];
  const bound = mu[contact] * along;
  if (bound > 0) rows.push(["Friction used", `${((100 * clean(across)) / bound).toFixed(1)}\u202f% of \u03bcF\u2099`]);
  return { title: `${geoms[geom1[contact]].name} \u2194 ${geoms[geom2[contact]].name}`, mode: mode[contact], rows };
}

/** The rows about a geom and its body. */
export function bodyRows(recording: Recording, frame: number, index: number): { title: string; rows: Row[] } {
  const geom = recording.header.geoms[index];
  const body = recording.header.bodies[geom.body];
  const place = recording.place(frame, geom.body).map((x) => number(Math.abs(x) < 1e-9 ? 0 : x));
  const { ptr, geom1, geom2 } = recording.contacts;
  let touching = 0;
  for (let c = ptr[frame]; c < ptr[frame + 1]; c++) touching += Number(geom1[c] === index || geom2[c] === index);
  const rows: Row[] = [];
  if (geom.name !== body.name) rows.push(["Geom", `${geom.name} (${geom.shape})`]);
  rows.push(["Position", `${place.join(", ")}\u202fm`]);
  if (!body.fixed) {
    rows.push(["Speed", quantity(recording.speed(frame, geom.body), "m/s", 3)]);
    rows.push(["Mass", quantity(body.mass, "kg")]);
  }
  rows.push(["Contacts", count(touching)]);
  return { title: body.fixed ? `${body.name} (fixed)` : body.name, rows };
}

/** Fills the tip and puts it beside a place of the stage. */
export function showTip(tip: HTMLElement, title: string, rows: Row[], x: number, y: number): void {
  const heading = document.createElement("b");
  heading.textContent = title;
  const list = document.createElement("dl");
  for (const [name, value] of rows) {
    const [term, text] = [document.createElement("dt"), document.createElement("dd")];
    term.textContent = name;
    text.textContent = value;
    list.append(term, text);
  }
  tip.replaceChildren(heading, list);
  tip.hidden = false;
  const { clientWidth: width, clientHeight: height } = tip.parentElement!;
  const left = x + 18 + tip.offsetWidth > width ? Math.max(4, x - tip.offsetWidth - 14) : x + 18;
  const top = Math.min(y + 14, Math.max(4, height - tip.offsetHeight - 4));
  tip.style.transform = `translate(${left}px, ${top}px)`;
}
