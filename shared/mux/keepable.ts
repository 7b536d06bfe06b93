/** A view of a smaller share of its memory than this is copied. */
const COPY_BELOW_SHARE = 1 / 4

/** The same bytes, safe to keep for longer than a call: a small view would keep a far larger message in memory. */
export function keepable(bytes: Buffer): Buffer {
  return bytes.length < bytes.buffer.byteLength * COPY_BELOW_SHARE ? Buffer.from(bytes) : bytes
}
