/** Reads variable-length numbers, seven bits per byte, from bytes that have passed their checksum. */
export class VarintReader {
  readonly bytes: Uint8Array
  at: number

  constructor(bytes: Uint8Array, at: number) {
    this.bytes = bytes
    this.at = at
  }

  next(): number {
    let byte = this.bytes[this.at++]!
    if (byte < 128) return byte
    let value = byte & 127
    let scale = 128
    do {
      byte = this.bytes[this.at++]!
      value += (byte & 127) * scale
      scale *= 128
    } while (byte >= 128)
    return value
  }

  /** Skips bytes that are preceded by their number. */
  skip(): void {
    const length = this.next()
    this.at += length
  }
}

/** Writes a number at an offset and returns the offset after it. There must be room for 8 bytes. */
export function writeVarint(bytes: Uint8Array, offset: number, value: number): number {
  let at = offset
  let rest = value
  // Most numbers are small, and shifting them is much faster than dividing.
  if (rest < 2 ** 31) {
    let small = rest | 0
    for (; small >= 128; small >>>= 7) bytes[at++] = (small & 127) | 128
    bytes[at++] = small
    return at
  }
  while (rest >= 128) {
    bytes[at++] = (rest % 128) | 128
    rest = Math.floor(rest / 128)
  }
  bytes[at++] = rest
  return at
}

/** The number of bytes of an encoded number. */
export function varintLength(value: number): number {
  let length = 1
  for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) length++
  return length
}
