import { lineOf, type Candidate } from './anchors.ts'
import { outlineOf, type OutlineHeading } from './outline.ts'

/**
 * A section of a note, as offsets. `body` is its own text without the blank lines around it, up to its first
 * sub-heading; `whole` goes on to the end of the last sub-section.
 */
export type Section = {
  heading: OutlineHeading
  body: { start: number; end: number }
  whole: { start: number; end: number }
}

type Found = { kind: 'found'; section: Section } | { kind: 'not_one'; count: number; candidates: Candidate[] }

const MAX_CANDIDATES = 5

/** Finds a section by its heading, `Parent > Child` where one name is not enough; leading # marks fix the level. */
export function findSection(
  text: string,
  { section, occurrence }: { section: string; occurrence?: number | undefined },
): Found {
  const outline = outlineOf(text)
  const names = section.split(/\s+>\s+/)
  const exact = outline.filter((_, index) => isNamed(outline, index, [section]))
  const found = exact.length > 0 ? exact : outline.filter((_, index) => isNamed(outline, index, names))

  const chosen = occurrence === undefined ? (found.length === 1 ? found[0] : undefined) : found[occurrence - 1]
  if (chosen) return { kind: 'found', section: sectionAt(text, outline, chosen) }
  const shown = found.length > 0 ? found : outline
  return {
    kind: 'not_one',
    count: found.length,
    candidates: shown.slice(0, MAX_CANDIDATES).map(({ level, text: title, start }, index) => ({
      line: lineOf(text, start),
      occurrence: found.length > 0 ? index + 1 : 0,
      text: `${'#'.repeat(level)} ${title}`,
    })),
  }
}

/** True when a heading has the last name and its parents have the ones before, inside out. */
function isNamed(outline: readonly OutlineHeading[], index: number, names: readonly string[]): boolean {
  const heading = outline[index]!
  if (!hasName(heading, names.at(-1)!)) return false
  if (names.length === 1) return true
  for (let at = index - 1, level = heading.level; at >= 0; at--) {
    const above = outline[at]!
    if (above.level >= level) continue
    if (isNamed(outline, at, names.slice(0, -1))) return true
    level = above.level
  }
  return false
}

function hasName({ level, text }: OutlineHeading, name: string): boolean {
  const marked = /^(#{1,6})\s+(.*)$/.exec(name.trim())
  if (text.trim() === name.trim()) return true
  return marked !== null && marked[1]!.length === level && text.trim() === marked[2]!.trim()
}

function sectionAt(text: string, outline: readonly OutlineHeading[], heading: OutlineHeading): Section {
  const later = outline.slice(outline.indexOf(heading) + 1)
  const ownEnd = later[0]?.start ?? text.length
  const wholeEnd = later.find(({ level }) => level <= heading.level)?.start ?? text.length

  const own = text.slice(heading.end, ownEnd)
  const content = own.trim() === '' ? undefined : { from: leadingBlankLines(own), to: own.trimEnd().length }
  const body = content
    ? { start: heading.end + content.from, end: heading.end + content.to }
    : { start: heading.end, end: heading.end }
  return { heading, body, whole: { start: heading.start, end: wholeEnd } }
}

const leadingBlankLines = (text: string): number => /^(?:[ \t]*\r?\n)*/.exec(text)![0].length
