import { lineOf, type Candidate } from './anchors.ts'
import { endOfBlankLines } from '../markdown/blanks.ts'
import { outlineOf, type OutlineHeading } from '../markdown/outline.ts'

/**
 * A section of a note, as offsets. `body` is its own text without the blank lines around it, up to its first
 * sub-heading; `whole` continues to the end of the last sub-section.
 */
export type Section = {
  heading: OutlineHeading
  body: { start: number; end: number }
  whole: { start: number; end: number }
}

type Found = { kind: 'found'; section: Section } | { kind: 'not_one'; count: number; candidates: Candidate[] }

const MAX_CANDIDATES = 5
const MAX_LEVEL = 6

/** Finds a section by its heading, `Parent > Child` where one name is ambiguous; leading # marks fix the level. */
export function findSection(
  text: string,
  { section, occurrence }: { section: string; occurrence?: number | undefined },
  outline: readonly OutlineHeading[] = outlineOf(text),
): Found {
  const whole = nameOf(section)
  const exact = outline.filter((heading) => hasName(heading, whole))
  const found = exact.length > 0 ? exact : namedByPath(outline, splitNames(section).map(nameOf))

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

/** A name to compare with headings: as it is written and, if it begins with # marks, as a level and the rest. */
type Name = { text: string; marked?: { level: number; text: string } }

function nameOf(written: string): Name {
  const text = written.trim()
  const level = /^#{1,6}(?=\s)/.exec(text)?.[0].length
  return level === undefined ? { text } : { text, marked: { level, text: text.slice(level).trim() } }
}

function hasName({ level, text }: OutlineHeading, { text: wanted, marked }: Name): boolean {
  const title = text.trim()
  return title === wanted || (marked !== undefined && level === marked.level && title === marked.text)
}

/** The names in `A > B`; a `>` without blanks on both sides belongs to a name. */
function splitNames(section: string): string[] {
  const names: string[] = []
  let start = 0
  for (let at = section.indexOf('>'); at !== -1; at = section.indexOf('>', at + 1)) {
    if (!/^\s>\s$/.test(section.slice(Math.max(0, at - 1), at + 2))) continue
    names.push(section.slice(start, at))
    start = at + 1
  }
  names.push(section.slice(start))
  return names
}

/** Headings with the last name whose parents have the names before it, from the inside out. */
function namedByPath(outline: readonly OutlineHeading[], names: readonly Name[]): OutlineHeading[] {
  if (names.length > MAX_LEVEL) return []
  const [wanted, ...parents] = names.toReversed()
  const found: OutlineHeading[] = []
  const open: OutlineHeading[] = []
  for (const heading of outline) {
    while (open.length > 0 && open.at(-1)!.level >= heading.level) open.pop()
    if (hasName(heading, wanted!) && haveNames(open, parents)) found.push(heading)
    open.push(heading)
  }
  return found
}

/** True when some of the parents have all the names in order; parents between them may have others. */
function haveNames(parents: readonly OutlineHeading[], names: readonly Name[]): boolean {
  let next = 0
  for (const parent of parents.toReversed()) if (next < names.length && hasName(parent, names[next]!)) next++
  return next === names.length
}

function sectionAt(text: string, outline: readonly OutlineHeading[], heading: OutlineHeading): Section {
  const later = outline.slice(outline.indexOf(heading) + 1)
  const ownEnd = later[0]?.start ?? text.length
  const wholeEnd = later.find(({ level }) => level <= heading.level)?.start ?? text.length

  const own = text.slice(heading.end, ownEnd)
  const content = own.trim() === '' ? undefined : { from: endOfBlankLines(own), to: own.trimEnd().length }
  const body = content
    ? { start: heading.end + content.from, end: heading.end + content.to }
    : { start: heading.end, end: heading.end }
  return { heading, body, whole: { start: heading.start, end: wholeEnd } }
}
