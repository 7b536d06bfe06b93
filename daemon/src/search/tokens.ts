/** A folded word of a text. `position` counts words, so that neighbours differ by one; offsets are UTF-16. */
export type Token = { term: string; position: number; start: number; end: number }

// Scripts that are written without blanks between words, and Hangul, whose words carry endings.
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Hangul}]/u
const RUNS =
  /([\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Hangul}ー\p{M}]+)|([\p{L}\p{N}\p{M}_]+)/gu
const PLAIN = /^[a-z0-9_]+$/

/** Folds a word so that spellings of the same word meet: compatibility forms, case, diacritics. */
export function fold(word: string): string {
  const lower = word.toLowerCase()
  if (PLAIN.test(lower)) return lower
  return word
    .normalize('NFKD')
    .toLowerCase()
    .replace(/(?<=[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])\p{M}+/gu, '')
    .normalize('NFC')
    .replaceAll('ß', 'ss')
}

/** The words of a text in order; runs of an unspaced script become pairs of characters and a last single one. */
export function* tokensOf(text: string): Generator<Token> {
  let position = 0
  for (const match of text.matchAll(RUNS)) {
    const run = match[0]
    const start = match.index
    if (match[1] !== undefined && UNSPACED.test(run)) {
      const characters = Array.from(run)
      let offset = start
      for (const [index, character] of characters.entries()) {
        const next = characters[index + 1]
        const end = offset + character.length + (next?.length ?? 0)
        yield { term: fold(character + (next ?? '')), position: position++, start: offset, end }
        offset += character.length
      }
    } else yield { term: fold(run), position: position++, start, end: start + run.length }
  }
}

/** The words that a query must contain for a text: as `tokensOf`, but without the single one that ends a longer run. */
export function queryTokensOf(text: string): Token[] {
  const tokens = [...tokensOf(text)]
  return tokens.filter((token, index) => {
    const before = tokens[index - 1]
    const closesRun = before !== undefined && before.end === token.end && before.start < token.start
    return !closesRun
  })
}
