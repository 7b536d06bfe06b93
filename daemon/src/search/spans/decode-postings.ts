/** Where postings begin in the bytes, the number of the note before them, and their count. */
type Postings = { at: number; before: number; count: number }

/** The arrays for the notes and weights of postings, and the index of the first one to write. */
type Decoded = { numbers: Uint32Array; weights: Float32Array; from: number }

/**
 * Decodes postings: distances between notes, and weights, seven bits per byte. Returns where their bytes end. It is one
 * loop without calls: a common word has as many postings as there are notes, and V8 does not optimize until the daemon
 * has worked for a while.
 */
export function decodePostings(bytes: Uint8Array, postings: Postings, decoded: Decoded): number {
  const { numbers, weights, from } = decoded
  const end = from + postings.count
  let at = postings.at
  let number = postings.before
  for (let index = from; index < end; index++) {
    let byte = bytes[at++]!
    let distance = byte & 127
    for (let shift = 7; byte >= 128; shift += 7) {
      byte = bytes[at++]!
      distance |= (byte & 127) << shift
    }
    number += distance + 1
    byte = bytes[at++]!
    let weight = byte & 127
    for (let shift = 7; byte >= 128; shift += 7) {
      byte = bytes[at++]!
      weight |= (byte & 127) << shift
    }
    numbers[index] = number
    weights[index] = weight
  }
  return at
}
