// What the pointer is on: a contact, a pair of geoms or a body, with its numbers.

import { make } from "./dom";
import { count, number, quantity } from "./format";
import { type ContactReadout, lawName, marginRow, marginText, modeName, pairName, type PairReadout } from "./readout";
import type { Recording } from "./recording";

export interface Tip {
  title: string;
  rows: [string, string][];
}

/** About a contact of a pair. */
export function contactTip(recording: Recording, pair: PairReadout, contact: ContactReadout): Tip {
  const rows: [string, string][] = [
    ["Mode", modeName(contact.mode)],
    ["Law", lawName(contact)],
    ["Gap", quantity(contact.gap, "m", 3)],
    ["Normal force", quantity(contact.normalForce, "N")],
    ["Tangential force", quantity(contact.tangentialForce, "N")],
    marginRow(contact),
  ];
  return { title: pairName(recording, pair), rows };
}

/** About a pair of geoms. */
export function pairTip(recording: Recording, pair: PairReadout): Tip {
  const rows: [string, string][] = [
    ["Contacts pressing", `${pair.pressing} of ${pair.contacts.length}`],
    ["Normal force", quantity(pair.normalForce, "N")],
    ["Net force", quantity(pair.force.length(), "N")],
    ["Largest margin", marginText(pair.margin)],
  ];
  return { title: `Centre of pressure, ${pairName(recording, pair)}`, rows };
}

/** About a geom and its body. */
export function bodyTip(recording: Recording, frame: number, index: number): Tip {
  const geom = recording.header.geoms[index];
  const body = recording.header.bodies[geom.body];
  const place = recording.place(frame, geom.body).map((x) => number(Math.abs(x) < 1e-9 ? 0 : x));
  const { ptr, geom1, geom2 } = recording.contacts;
  let touching = 0;
  for (let c = ptr[frame]; c < ptr[frame + 1]; c++) touching += Number(geom1[c] === index || geom2[c] === index);
  const rows: [string, string][] = [];
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
export function showTip(tip: HTMLElement, { title, rows }: Tip, x: number, y: number): void {
  const list = make("dl");
  list.append(...rows.flatMap(([name, value]) => [make("dt", "", name), make("dd", "", value)]));
  tip.replaceChildren(make("b", "", title), list);
  tip.hidden = false;
  const { clientWidth: width, clientHeight: height } = tip.parentElement!;
  const left = x + 18 + tip.offsetWidth > width ? Math.max(4, x - tip.offsetWidth - 14) : x + 18;
  const top = Math.min(y + 14, Math.max(4, height - tip.offsetHeight - 4));
  tip.style.transform = `translate(${left}px, ${top}px)`;
}
