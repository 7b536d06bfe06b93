/** Where some postings begin in bytes, the number of the note before them, and how many they are. */
type Postings = { at: number; before: number; count: number }

/** Where the notes and the weights of postings are written, from an index on. */
type Decoded = { numbers: Uint32Array; weights: Float32Array; from: number }

/**
 * Decodes postings: distances between notes and weights, seven bits a byte. Returns where their bytes end. One loop without
 * calls, because a common word has as many as there are notes, and V8 does not optimize until a daemon has worked.
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
