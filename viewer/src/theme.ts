// Colours, light and dark. Those of the modes are of Okabe and Ito's palette, which most colour-blind people tell apart.

/** Colours for one scheme; modes by code (open, stick, slip). */
export interface Theme {
  modes: [string, string, string];
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

/** Calls back whenever the reader's preference changes. */
export function onThemeChange(callback: () => void): void {
  dark.addEventListener("change", callback);
}
