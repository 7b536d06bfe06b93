/** Separates the postings and positions of a term. Copies in a loop, since most are only a few bytes. */
export function separate(
  mixed: Uint8Array,
  length: number,
  { postings, positions }: { postings: Uint8Array; positions: Uint8Array },
): void {
  let posting = 0
  let position = 0
  for (let at = 0; at < length;) {
    for (let numbers = 0; numbers < 2; numbers++) {
      while (mixed[at]! >= 128) postings[posting++] = mixed[at++]!
      postings[posting++] = mixed[at++]!
    }
    let count = 0
    let scale = 1
    while (mixed[at]! >= 128) {
      count += (mixed[at]! & 127) * scale
      scale *= 128
      positions[position++] = mixed[at++]!
    }
    count += mixed[at]! * scale
    positions[position++] = mixed[at++]!
    for (const end = at + count; at < end;) positions[position++] = mixed[at++]!
  }
}
