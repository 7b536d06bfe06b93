/** True for a space or tab, the blanks of Markdown. */
export const isBlank = (character: string | undefined): boolean => character === ' ' || character === '\t'

/** The text without spaces and tabs at its end. A regular expression takes quadratic time here. */
export function trimBlanksEnd(text: string): string {
  let end = text.length
  while (isBlank(text[end - 1])) end--
  return text.slice(0, end)
}

/** The text without spaces and tabs at either end. */
export function trimBlanks(text: string): string {
  let start = 0
  while (isBlank(text[start])) start++
  return trimBlanksEnd(text.slice(start))
}

/** The offset of the first line that contains more than blanks, or of the end of the text. */
export function endOfBlankLines(text: string): number {
  let lineStart = 0
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '\n') lineStart = at + 1
    else if (!isBlank(text[at]) && !(text[at] === '\r' && text[at + 1] === '\n')) break
  }
  return lineStart
}
