// The read-out beside the scene: all pairs of geoms of the frame, and all numbers of the pair and the contact that the
// reader has chosen.

import { Vector3 } from "three";
import { make, setText } from "./dom";
import { components, count, number } from "./format";
import { type ContactReadout, lawName, marginRow, marginText, modeName, pairName, type PairReadout, type Readout } from "./readout";
import { MODES, type Recording } from "./recording";
import type { Selection } from "./selection";
import { marginColour, theme } from "./theme";

/** A value (or a vector's three) and its unit. */
type NumberRow = [name: string, value: string | Vector3, unit?: string];

export class Panel {
  private readonly summary = make("span", "quiet");
  private readonly pairList: List;
  private readonly hint = make("p", "quiet hint", "Click an arrow in the scene, or a pair in the list, for its numbers.");
  private readonly pairPart = make("section");
  private readonly pairTitle = make("h2");
  private readonly pairNumbers = new Numbers();
  private readonly contactList: List;
  private readonly contactPart = make("section");
  private readonly contactTitle = make("h2");
  private readonly contactNumbers = new Numbers();
  private readonly mechanism = make("details");
  private readonly mechanismNumbers = new Numbers();
  /** The pairs shown. */
  private pairs: PairReadout[] = [];
  private frame = 0;

  constructor(
    private readonly root: HTMLElement,
    private readonly recording: Recording,
    private readonly readout: Readout,
    private readonly selection: Selection,
  ) {
    this.pairList = new List("Pair", (i) => selection.select(this.pairs[i].geoms));
    this.contactList = new List("Contact", (i) => selection.select(selection.pair!, i));
    const all = make("section");
    const heading = make("h2", "", "Pairs of geoms ");
    heading.append(this.summary);
    all.append(heading, this.pairList.root);
    this.pairPart.append(this.pairTitle, this.pairNumbers.root, this.contactList.root);
    this.contactPart.append(this.contactTitle, this.contactNumbers.root);
    this.mechanism.append(make("summary", "", "Joints, actuators and tendons"), this.mechanismNumbers.root);
    this.mechanism.hidden = this.mechanismRows().length === 0;
    this.mechanism.addEventListener("toggle", () => this.show());
    root.append(all, this.hint, this.pairPart, this.contactPart, this.mechanism);
  }

  /** Shows what was chosen, and brings it into view. */
  reveal(): void {
    this.show();
    const part = this.selection.place === null ? this.pairPart : this.contactPart;
    part.scrollIntoView({ block: "nearest" });
  }

  /** Opens or closes it. */
  set open(open: boolean) {
    this.root.hidden = !open;
    this.show(this.frame);
  }

  /** Shows a frame, or the same one anew. */
  show(frame = this.frame): void {
    this.frame = frame;
    if (this.root.hidden) return;
    this.pairs = this.readout.pairs(frame);
    const contacts = this.pairs.reduce((all, { contacts }) => all + contacts.length, 0);
    setText(this.summary, `${counted(this.pairs.length, "pair")}, ${counted(contacts, "contact")}`);
    this.pairList.show(this.pairs.map((pair) => this.pairItem(pair)));
    this.hint.hidden = this.selection.pair !== null;
    this.showPair(this.pairs.find((pair) => this.selection.has(pair)));
    if (this.mechanism.open) this.mechanismNumbers.show(this.mechanismRows());
  }

  private showPair(pair: PairReadout | undefined): void {
    const geoms = this.selection.pair;
    this.pairPart.hidden = !geoms;
    const place = this.selection.place;
    this.contactPart.hidden = !geoms || place === null;
    if (!geoms) return;
    setText(this.pairTitle, pairName(this.recording, { geoms }));
    const items = pair?.contacts.map((contact, i) => this.contactItem(contact, i));
    this.pairNumbers.show(pair ? this.pairRows(pair) : [["Contacts", "none in this step"]]);
    this.contactList.show(items ?? []);
    if (place === null) return;
    const contact = pair?.contacts[place];
    setText(this.contactTitle, `Contact ${place + 1} of this pair`);
    this.contactNumbers.show(contact ? this.contactRows(contact) : [["Contact", "none in this step"]]);
  }

  /** What joints transmit to the child or second body, and what actuators and tendons pull with. */
  private mechanismRows(): NumberRow[] {
    const { joints, actuators, tendons } = this.recording.header;
    const pulls = (kind: "actuator" | "tendon") => (name: string, i: number): NumberRow =>
      [name, number(this.recording.pull(this.frame, kind, i)), "N, N\u202fm"];
    return [
      ...joints.flatMap((name, i): NumberRow[] => {
        const { force, moment } = this.recording.joint(this.frame, i);
        return [[name, new Vector3(...force), "N"], ["moment", new Vector3(...moment), "N\u202fm"]];
      }),
      ...actuators.map(pulls("actuator")),
      ...tendons.map(pulls("tendon")),
    ];
  }

  private pairItem(pair: PairReadout): Item {
    const { normalForce, margin } = pair;
    return { label: pairName(this.recording, pair), normalForce, margin, chosen: this.selection.has(pair) };
  }

  private contactItem({ mode, normalForce, margin }: ContactReadout, i: number): Item {
    const chosen = this.selection.place === i;
    return { label: `${i + 1} ${modeName(mode)}`, dot: theme().modes[mode], normalForce, margin, chosen };
  }

  private pairRows(pair: PairReadout): NumberRow[] {
    return [
      ["Bodies", this.bodies(pair)],
      ["Force acts on", this.geom(pair.receiver)],
      ["Contacts pressing", `${pair.pressing} of ${pair.contacts.length}`],
      ["Normal force", number(pair.normalForce), "N"],
      ["Largest margin", marginText(pair.margin)],
      ["Centre", pair.center, "m"],
      ["Force", pair.force, "N"],
      ["Moment", pair.moment, "N\u202fm"],
    ];
  }

  private contactRows(contact: ContactReadout): NumberRow[] {
    return [
      ["Law", lawName(contact)],
      ["Mode", modeName(contact.mode)],
      marginRow(contact),
      ["Gap", number(contact.gap, 3), "m"],
      ...this.shifts(contact),
      ["Normal force", number(contact.normalForce), "N"],
      ["Tangential force", number(contact.tangentialForce), "N"],
      ["Point", contact.point, "m"],
      ["Normal", contact.normal],
      ["Impulse", contact.impulse, "N\u202fs"],
      ["Force", contact.force, "N"],
    ];
  }

  /** What sticks should not move; how far it does. */
  private shifts({ mode, slip, shift }: ContactReadout): NumberRow[] {
    if (MODES[mode] !== "stick") return [];
    return [
      ["Slip in the step", number(slip, 3), "m"],
      ["Since it sticks", number(shift, 3), "m"],
    ];
  }

  private geom(geom: number): string {
    return this.recording.header.geoms[geom].name;
  }

  private bodies({ geoms }: PairReadout): string {
    const { header } = this.recording;
    return geoms.map((geom) => header.bodies[header.geoms[geom].body].name).join(", ");
  }
}

/** Margins below this (without slip there are larger ones) have three decimals in a list. */
const LARGE = 10;

interface Item {
  label: string;
  dot?: string;
  normalForce: number;
  margin: number;
  chosen: boolean;
}

/** A list of buttons: a name, a normal force, and a margin as a number and a bar. */
class List {
  readonly root = make("div", "list");
  private readonly rows: Row[] = [];
  private chosen: HTMLElement | null = null;

  constructor(
    what: string,
    private readonly click: (i: number) => void,
  ) {
    const head = make("div", "list-head");
    head.append(make("span", "", what), make("span", "", "Normal force (N)"), make("span", "", "Margin"));
    this.root.append(head);
  }

  show(items: Item[]): void {
    this.root.hidden = items.length === 0;
    while (this.rows.length < items.length) {
      const i = this.rows.length;
      const row = new Row(() => this.click(i));
      this.rows.push(row);
      this.root.append(row.root);
    }
    this.rows.forEach((row, i) => row.show(items[i]));
    const chosen = this.rows[items.findIndex((item) => item.chosen)]?.root ?? null;
    if (chosen !== this.chosen) chosen?.scrollIntoView({ block: "nearest" });
    this.chosen = chosen;
  }
}

class Row {
  readonly root = make("button", "list-row");
  private readonly label = make("span", "label");
  private readonly force = make("span");
  private readonly margin = make("span", "meter");

  constructor(click: () => void) {
    this.root.type = "button";
    this.root.append(this.label, this.force, this.margin);
    this.root.addEventListener("click", click);
  }

  show(item: Item | undefined): void {
    this.root.hidden = !item;
    if (!item) return;
    setText(this.label, item.label);
    this.label.classList.toggle("dotted", item.dot !== undefined);
    this.label.style.setProperty("--dot", item.dot ?? "");
    this.label.title = item.label;
    setText(this.force, number(item.normalForce));
    setText(this.margin, item.margin < LARGE ? item.margin.toFixed(3) : marginText(item.margin));
    const filled = Number.isNaN(item.margin) ? 0 : Math.min(Math.max(item.margin, 0), 1);
    this.margin.style.setProperty("--filled", `${(100 * filled).toFixed(1)}%`);
    this.margin.style.setProperty("--dot", marginColour(item.margin));
    this.root.setAttribute("aria-pressed", String(item.chosen));
  }
}

/** A table of numbers; vectors have a column for each axis of the world, texts the room of two. */
class Numbers {
  readonly root = make("table", "numbers");
  private readonly body = make("tbody");

  constructor() {
    const columns = make("colgroup");
    columns.append(...["name", "number", "number", "number", "unit"].map((what) => make("col", what)));
    this.root.append(columns, this.body);
  }

  show(rows: NumberRow[]): void {
    const lines = rows.flatMap(([name, value, unit = ""], i) => {
      const vector = typeof value !== "string";
      // The axes stand above the first vector.
      const axes = vector && typeof rows[i - 1]?.[1] === "string" ? [line("", ["x", "y", "z"], "", "axis")] : [];
      return [...axes, line(name, vector ? components(value.toArray()) : [value], unit)];
    });
    this.body.replaceChildren(...lines);
  }
}

function line(name: string, values: string[], unit: string, className = ""): HTMLTableRowElement {
  const row = make("tr", className);
  const [title, ...cells] = [make("th", "", name), ...values.map((value) => make("td", className && value, value))];
  if (values.length === 1) title.colSpan = cells[0].colSpan = 2;
  row.append(title, ...cells, make("td", "unit", unit));
  return row;
}

function counted(n: number, what: string): string {
  return `${count(n)} ${what}${n === 1 ? "" : "s"}`;
}
