import { setImmediate } from 'node:timers/promises'

// Decoding, encoding or hashing this many characters takes about a millisecond.
const LONG = 512 * 1024

/** Between two steps that each go through a whole text: others may have the event loop first when the text is long. */
export async function nextTurn(length: number): Promise<void> {
  if (length > LONG) await setImmediate()
}
