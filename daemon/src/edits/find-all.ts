/**
 * Offsets of every occurrence of a part, including overlapping ones. Uses the Knuth-Morris-Pratt algorithm: repeated
 * `indexOf` takes quadratic time if the text and the part repeat themselves.
 */
export function findAll(text: string, part: string): number[] {
  const found: number[] = []
  if (part === '' || part.length > text.length) return found
  const borders = bordersOf(part)
  for (let at = 0, matched = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    while (matched > 0 && (matched === part.length || part.charCodeAt(matched) !== code))
      matched = borders[matched - 1]!
    if (part.charCodeAt(matched) === code) matched++
    if (matched === part.length) found.push(at - matched + 1)
  }
  return found
}

/** For each prefix of a part, the length of its longest proper prefix that is also its end. */
function bordersOf(part: string): Int32Array {
  const borders = new Int32Array(part.length)
  for (let at = 1, matched = 0; at < part.length; at++) {
    const code = part.charCodeAt(at)
    while (matched > 0 && part.charCodeAt(matched) !== code) matched = borders[matched - 1]!
    if (part.charCodeAt(matched) === code) matched++
    borders[at] = matched
  }
  return borders
}
