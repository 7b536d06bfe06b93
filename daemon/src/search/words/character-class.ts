/** The class of a character for the tokenizer. Marks belong to the character before them. */
const OTHER = 0
export const WORD = 1
export const UNSPACED = 2
export const MARK = 3
const CLASS = 3
// Set when normalisation leaves the character unchanged.
const STABLE = 4

const IS_MARK = /\p{M}/u
const IS_WORD = /[\p{L}\p{N}_]/u
// Scripts written without blanks between words, and Hangul, whose words carry endings. The script extensions include
// characters that several scripts share, such as the Japanese long vowel mark.
const IS_UNSPACED =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Bopomofo}\p{scx=Hangul}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u

const PAGE = 256
const pages: (Uint8Array | undefined)[] = []

/** The class of a code point. Classes are computed one page at a time, on the first use of a character of the page. */
export function classOf(codePoint: number): number {
  return entryOf(codePoint) & CLASS
}

/** True for a text with a character of an unspaced script, and for some texts with only a mark or sign of one. */
export const hasUnspaced = (text: string): boolean => IS_UNSPACED.test(text)

/** True for a character of an unspaced script that normalisation leaves unchanged. */
export const isPlainUnspaced = (codePoint: number): boolean => entryOf(codePoint) === (UNSPACED | STABLE)

function entryOf(codePoint: number): number {
  const page = (pages[codePoint >>> 8] ??= pageAt(codePoint & ~(PAGE - 1)))
  return page[codePoint & (PAGE - 1)]!
}

function pageAt(first: number): Uint8Array {
  return Uint8Array.from({ length: PAGE }, (_, offset) => {
    const code = first + offset
    if (code >= 0xd800 && code <= 0xdfff) return OTHER
    const character = String.fromCodePoint(code)
    // Half-width sound marks and the later parts of a Hangul syllable are letters; normalisation joins them to the
    // letter before.
    if (IS_MARK.test(character) || code === 0xff9e || code === 0xff9f || (code >= 0x1160 && code <= 0x11ff)) return MARK
    if (!IS_WORD.test(character)) return OTHER
    const stable = character.normalize('NFKC') === character ? STABLE : 0
    return (IS_UNSPACED.test(character) ? UNSPACED : WORD) | stable
  })
}
