// Reads the arrays of a NumPy archive without compression: just enough to compare a page with its recording.

import { readFileSync } from "node:fs";

const TYPES = { "<f8": Float64Array, "<i8": BigInt64Array, "<i4": Int32Array };

/** Arrays of numbers by name; texts are left out. */
export function readNpz(path) {
  const bytes = readFileSync(path);
  const arrays = {};
  // The directory at the end says where entries are (APPNOTE.TXT 4.3.12 and 4.3.16).
  const end = bytes.lastIndexOf(Buffer.from("PK\x05\x06", "latin1"));
  let at = bytes.readUInt32LE(end + 16);
  for (let n = bytes.readUInt16LE(end + 10); n > 0; n--) {
    const [name, extra, comment] = [28, 30, 32].map((k) => bytes.readUInt16LE(at + k));
    const size = bytes.readUInt32LE(at + 24);
    const local = bytes.readUInt32LE(at + 42);
    const title = bytes.toString("utf8", at + 46, at + 46 + name).replace(/\.npy$/, "");
    const start = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
    const array = readNpy(bytes.subarray(start, start + size));
    if (array) arrays[title] = array;
    at += 46 + name + extra + comment;
  }
  return arrays;
}

function readNpy(bytes) {
  const start = 10 + bytes.readUInt16LE(8);
  const type = TYPES[/'descr': '([^']*)'/.exec(bytes.toString("latin1", 10, start))[1]];
  // A copy begins where the type wants it.
  return type && new type(Uint8Array.from(bytes.subarray(start)).buffer);
}
