// Colours, light and dark. Those of the modes are of Okabe and Ito's palette, which most colour-blind people tell apart.

/** Colours for one scheme; modes by code (open, stick, slip). */
export interface Theme {
  modes: [string, string, string];
  /** Of margins 0, 1/2 and 1; between them it is mixed. */
  margins: [string, string, string];
  /** Of contacts without a margin. */
  noMargin: string;
  /** Centres of pressure, and the contact chosen. */
  mark: string;
  /** Of geoms without a colour of their own, by body. */
  bodies: string[];
  fixed: string;
  ground: string;
  grid: string;
  edge: string;
  /** How far a geom's edges go towards `edge`. */
  edgeMix: number;
  sky: string;
  earth: string;
}

const LIGHT: Theme = {
  modes: ["#8b929c", "#0072b2", "#d55e00"],
  margins: ["#0072b2", "#d9b52b", "#d55e00"],
  noMargin: "#8b929c",
  mark: "#a3237c",
  bodies: ["#c6d3e3", "#e6d3b3", "#bcdacf", "#e0c8d2", "#d3dcb6", "#c9c6e4"],
  fixed: "#b4bac4",
  ground: "#f1f2f4",
  grid: "#c3c9d1",
  edge: "#1d2733",
  edgeMix: 0.45,
  sky: "#ffffff",
  earth: "#c9c4bc",
};

const DARK: Theme = {
  modes: ["#8d96a3", "#56b4e9", "#f0a030"],
  margins: ["#56b4e9", "#f0e06a", "#f06a30"],
  noMargin: "#8d96a3",
  mark: "#f08fd0",
  bodies: ["#8f99a8", "#a3957e", "#7f968f", "#9a8a96", "#8c967a", "#7f8da3"],
  fixed: "#66707f",
  ground: "#242a33",
  grid: "#3f4856",
  edge: "#0b0f14",
  edgeMix: 0.55,
  sky: "#dfe8f5",
  earth: "#8a8f98",
};

const dark = matchMedia("(prefers-color-scheme: dark)");

/** The present theme. */
export function theme(): Theme {
  return dark.matches ? DARK : LIGHT;
}

/** The colour of a margin; 1 and above, where nothing is left, look the same. */
export function marginColour(margin: number): string {
  if (Number.isNaN(margin)) return theme().noMargin;
  const at = 2 * Math.min(Math.max(margin, 0), 1);
  const [from, to] = theme().margins.slice(Math.min(Math.floor(at), 1));
  return mixed(from, to, at - Math.min(Math.floor(at), 1));
}

/** Between two colours like #0072b2. */
function mixed(from: string, to: string, part: number): string {
  const channel = (k: number) => [from, to].map((colour) => parseInt(colour.slice(k, k + 2), 16));
  const mix = [1, 3, 5].map(channel).map(([a, b]) => Math.round(a + part * (b - a)));
  return `rgb(${mix.join(", ")})`;
}

/** Calls back whenever the reader's preference changes. */
export function onThemeChange(callback: () => void): void {
  dark.addEventListener("change", callback);
}
