// Numbers for people.

const MINUS = "\u2212";
const SUPERSCRIPT: Record<string, string> = { "-": "\u207b", 0: "\u2070", 1: "\u00b9", 2: "\u00b2", 3: "\u00b3", 4: "\u2074", 5: "\u2075", 6: "\u2076", 7: "\u2077", 8: "\u2078", 9: "\u2079" };

/** Ten to a whole power. */
export function power(exponent: number): string {
  return "10" + [...String(exponent)].map((digit) => SUPERSCRIPT[digit]).join("");
}

/** A number with so many significant digits. */
export function number(x: number, digits = 4): string {
  if (x === 0) return "0";
  if (!Number.isFinite(x)) return String(x);
  // Rounding may carry into a further digit: 0.99996 is 1.000.
  const size = Math.abs(Number(x.toPrecision(digits)));
  if (size >= 1e-3 && size < 1e5) {
    const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(size)));
    return x.toFixed(Math.min(decimals, 12)).replace("-", MINUS);
  }
  const [mantissa, exponent] = x.toExponential(Math.min(digits, 3) - 1).split("e");
  return `${mantissa.replace("-", MINUS)}\u00d7${power(Number(exponent))}`;
}

/** A number with its unit. */
export function quantity(x: number, unit: string, digits = 4): string {
  return unit ? `${number(x, digits)}\u202f${unit}` : number(x, digits);
}

/** Components of a vector with the same decimals: five significant digits of the largest, but at most six decimals. */
export function components(x: number[]): string[] {
  const largest = Math.max(...x.map(Math.abs));
  if (largest === 0) return x.map(() => "0");
  const fixed = largest >= 1e-3 && largest < 1e5;
  const decimals = Math.min(4 - Math.floor(Math.log10(largest)), fixed ? 6 : Infinity);
  // What rounds to zero has no sign.
  const known = x.map((component) => (Math.abs(component) < 10 ** -decimals / 2 ? 0 : component));
  return known.map((component) => (fixed ? component.toFixed(decimals).replace("-", MINUS) : number(component, 3)));
}

/** A whole number with its thousands apart. */
export function count(n: number): string {
  return String(n).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

/** The least of 1, 2, 5 times a power of ten that is at least x. */
export function ceil125(x: number): number {
  return 1 / round125(1 / x);
}

/** The largest of 1, 2, 5 times a power of ten that is at most x. */
export function round125(x: number): number {
  const base = 10 ** Math.floor(Math.log10(x));
  return x >= 5 * base ? 5 * base : x >= 2 * base ? 2 * base : base;
}
