// Letters that no normal form decomposes, and letter forms that case folding alone does not unify.
const SPELLINGS: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
  ς: 'σ',
}
const SPELLED = new RegExp(`[${Object.keys(SPELLINGS).join('')}]`, 'g')
const ASCII = /^[\0-\x7F]*$/
// In these scripts, marks are accents or vowel points, which people leave out; in others they are part of the letter.
const MARKS = /(?<=[\p{scx=Latin}\p{scx=Greek}\p{scx=Cyrillic}\p{scx=Hebrew}\p{scx=Arabic}])\p{Mn}+/gu

/** Folds text so that spellings of the same word become equal: compatibility forms, case, accents. */
export function fold(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase()
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(MARKS, '')
    .normalize('NFC')
    .replace(SPELLED, (letter) => SPELLINGS[letter] ?? letter)
}
