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
  const size = Math.abs(x);
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

/** A whole number with its thousands apart. */
export function count(n: number): string {
  return String(n).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

/** The largest of 1, 2, 5 times a power of ten that is at most x. */
export function round125(x: number): number {
  const base = 10 ** Math.floor(Math.log10(x));
  return x >= 5 * base ? 5 * base : x >= 2 * base ? 2 * base : base;
}
