/** A random source that gives the same sequence for the same seed, so that a failed run can be repeated. */
export type Random = {
  /** A whole number from 0 up to, but not including, `bound`. */
  below(bound: number): number
  pick<T>(items: readonly T[]): T
}

/** Mulberry32: small, fast and good enough to vary input. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0
  const below = (bound: number): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000) * bound)
  }
  return { below, pick: (items) => items[below(items.length)]! }
}

// Characters that parsers often treat specially: blanks and line ends of all kinds, marks, surrogates, NUL.
const SPECIAL = Array.from(
  '\0\t\n\r\v\f !"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~\u0085\u00a0\u0301\u200b\u2028\u2029\ufeff\u3000' +
    '\u00df\u00e9\u0130\u05d0\u6f22\ufb01\ud800\udc00 \u{1f600}',
)

/**
 * Makes one hostile input from seeds: cuts, swaps and joins pieces, inserts special characters and words of the
 * grammar, and sometimes repeats a piece up to `maxLength`, which exposes a parser that is not linear.
 */
export function mutate(random: Random, { seeds, words, maxLength }: MutationSource): string {
  let text = random.pick(seeds)
  for (let steps = 1 + random.below(6); steps > 0; steps--) text = mutateOnce(random, text, { seeds, words, maxLength })
  if (random.below(16) === 0) text = repeatPiece(random, text, maxLength)
  return text.slice(0, maxLength)
}

/** The material that inputs are made of. */
export type MutationSource = { seeds: readonly string[]; words: readonly string[]; maxLength: number }

function mutateOnce(random: Random, text: string, { seeds, words, maxLength }: MutationSource): string {
  const at = random.below(text.length + 1)
  const end = Math.min(text.length, at + random.below(32))
  const head = text.slice(0, at)
  switch (random.below(7)) {
    case 0:
      return head + text.slice(end)
    case 1:
      return head + random.pick(SPECIAL) + text.slice(at)
    case 2:
      return head + random.pick(words) + text.slice(at)
    case 3:
      return head + random.pick(SPECIAL) + text.slice(Math.min(text.length, at + 1))
    case 4:
      return head + random.pick(seeds).slice(random.below(64)) + text.slice(end)
    case 5:
      return head + text.slice(at, end).repeat(1 + random.below(8)) + text.slice(end, maxLength)
    default:
      return head + String.fromCharCode(random.below(0x100)) + text.slice(at)
  }
}

function repeatPiece(random: Random, text: string, maxLength: number): string {
  const at = random.below(text.length + 1)
  const piece = text.slice(at, at + 1 + random.below(6)) || random.pick(SPECIAL)
  const room = maxLength - text.length
  if (room <= 0) return text
  const length = random.below(room) + 1
  return text.slice(0, at) + piece.repeat(Math.ceil(length / piece.length)) + text.slice(at)
}
