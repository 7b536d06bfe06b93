/** A view of a smaller share than this is copied out of the memory that it lies in. */
const COPY_BELOW_SHARE = 1 / 4

/** The same bytes, to be kept for longer than a call: a small view would keep a far larger message in memory. */
export function keepable(bytes: Buffer): Buffer {
  return bytes.length < bytes.buffer.byteLength * COPY_BELOW_SHARE ? Buffer.from(bytes) : bytes
}
