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
  bodies: ["#c9cfd8", "#d6c9b4", "#b9c9c4", "#cdbfc9", "#c3cbb4", "#b9c4d6"],
  fixed: "#b4bac4",
  ground: "#e9ebee",
  grid: "#bcc3cc",
  edge: "#1d2733",
  edgeMix: 0.45,
  sky: "#ffffff",
  earth: "#b9b4ac",
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
  earth: "#3a3d44",
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
