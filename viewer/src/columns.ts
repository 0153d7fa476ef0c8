// Columns of numbers: the inverse of `crates/stiction-page/src/columns.rs`, which says how they are made.

/** What the header says of a column. */
export interface Column {
  name: string;
  kind: "grid" | "float";
  /** Of a grid. */
  step?: number;
  /** Bits that were dropped of a float. */
  shift?: number;
  /** Order of the differences. */
  order: number;
  length: number;
  /** Bytes of each number. */
  planes: number;
  lanes: "one" | "frames" | "tracks";
}

/** Inflates zlib data in base 64. */
export async function inflate(base64: string): Promise<Uint8Array> {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Reads columns in their order. */
export class ColumnReader {
  private at = 0;
  private next = 0;

  constructor(
    private readonly columns: Column[],
    private readonly bytes: Uint8Array,
  ) {}

  /** The next column, which must have this name; `lanes` are the lengths of its lanes if they are tracks. */
  read(name: string, frames: number, tracks?: Float64Array): Float64Array {
    const column = this.columns[this.next++];
    if (column?.name !== name) throw new Error(`the page's data has no column ${name} here`);
    const integers = this.integers(column);
    let start = 0;
    for (let lane = 0; start < column.length; lane++) {
      const length = column.lanes === "one" ? column.length : column.lanes === "frames" ? frames : tracks![lane];
      for (let order = 0; order < column.order; order++) {
        for (let i = start + 1; i < start + length; i++) integers[i] += integers[i - 1];
      }
      start += length;
    }
    return column.kind === "grid" ? scaled(integers, column.step!) : floats(integers, column.shift!);
  }

  /** Puts bytes together and brings the sign back. */
  private integers({ length, planes }: Column): Int32Array {
    const integers = new Int32Array(length);
    for (let plane = 0; plane < planes; plane++) {
      const start = this.at + plane * length;
      for (let i = 0; i < length; i++) integers[i] |= this.bytes[start + i] << (8 * plane);
    }
    this.at += planes * length;
    for (let i = 0; i < length; i++) integers[i] = (integers[i] >>> 1) ^ -(integers[i] & 1);
    return integers;
  }
}

function scaled(integers: Int32Array, step: number): Float64Array {
  return Float64Array.from(integers, (i) => i * step);
}

function floats(integers: Int32Array, shift: number): Float64Array {
  const bits = new Uint32Array(1);
  const single = new Float32Array(bits.buffer);
  return Float64Array.from(integers, (i) => {
    bits[0] = Math.abs(i) << shift;
    return i < 0 ? -single[0] : single[0];
  });
}
