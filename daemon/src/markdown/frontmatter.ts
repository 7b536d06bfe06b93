/** The block of properties at the head of a note, as offsets into its text. */
export type Frontmatter = {
  /** Offset of the first property line. */
  yamlStart: number
  /** Offset of the closing `---`. */
  yamlEnd: number
  /** Offset of the first character after the closing line. */
  end: number
}

const MARK = '---'

/** Finds the block of properties, or undefined when the note has none. */
export function findFrontmatter(text: string): Frontmatter | undefined {
  const yamlStart = lineAfterMark(text, text.startsWith('\uFEFF') ? 1 : 0)
  if (yamlStart === undefined || text[yamlStart - 1] !== '\n') return undefined

  for (let at = yamlStart; at < text.length;) {
    const end = lineAfterMark(text, at)
    if (end !== undefined) return { yamlStart, yamlEnd: at, end }
    const feed = text.indexOf('\n', at)
    if (feed === -1) return undefined
    at = feed + 1
  }
  return undefined
}

/** Where the next line begins when the one at an offset is `---`, blanks after it allowed. */
function lineAfterMark(text: string, start: number): number | undefined {
  if (!text.startsWith(MARK, start)) return undefined
  let at = start + MARK.length
  while (text[at] === ' ' || text[at] === '\t') at++
  if (text.startsWith('\r\n', at)) return at + 2
  if (text[at] === '\n') return at + 1
  return at === text.length ? at : undefined
}
