// Copying so few bytes in a loop is faster than creating a view of them.
const FEW = 64

/** A range of bytes: `count` of them from `start` on. */
export type ByteRange = { bytes: Uint8Array; start: number; count: number }

/** Copies a range to an offset of an array that has room for it. Fast for a few bytes, of which most ranges are. */
export function copyBytes({ bytes, start, count }: ByteRange, into: Uint8Array, offset: number): void {
  if (count > FEW) into.set(bytes.subarray(start, start + count), offset)
  else for (let index = 0; index < count; index++) into[offset + index] = bytes[start + index]!
}
