/** A note's YAML block, without its fences, and the text after it. `bodyLine` counts the lines before the body. */
export type FrontMatter = { yaml: string | undefined; body: string; bodyLine: number }

/** Separates the YAML block from a note. Accepts any line endings; a block that is never closed is ordinary text. */
export function splitFrontMatter(text: string): FrontMatter {
  const found = /^\uFEFF?---[ \t]*(?:\r\n?|\n)(?:([\s\S]*?)(?:\r\n?|\n))??---[ \t]*(?:\r\n?|\n|$)/.exec(text)
  if (!found) return { yaml: undefined, body: text, bodyLine: 0 }
  const lines = found[0].split(/\r\n?|\n/).length - 1
  return { yaml: found[1] ?? '', body: text.slice(found[0].length), bodyLine: lines }
}
