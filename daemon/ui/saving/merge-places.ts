import { diffLines, type Hunk } from './diff-lines.ts'

/** Lines that both versions agree on or that only one of them changed, or a place that needs a choice. */
export type Place = { kind: 'settled'; lines: readonly string[] } | ClashPlace

/** A place that both versions changed differently. `from` is its first line in the base. */
export type ClashPlace = {
  kind: 'clash'
  from: number
  base: readonly string[]
  mine: readonly string[]
  theirs: readonly string[]
}

type Versions = { base: string; mine: string; theirs: string }
type Group = { from: number; to: number; mine: Hunk[]; theirs: Hunk[] }

/** Merges two versions of a text line by line. Adjacent changes form one place. Pure. */
export function mergePlaces({ base, mine, theirs }: Versions): Place[] {
  const [old, ours, others] = [base, mine, theirs].map((text) => text.split('\n')) as [string[], string[], string[]]
  const places: Place[] = []
  const settle = (lines: readonly string[]) => {
    if (lines.length > 0) places.push({ kind: 'settled', lines })
  }

  let at = 0
  for (const group of grouped(diffLines(old, ours), diffLines(old, others))) {
    settle(old.slice(at, group.from))
    at = group.to
    const [left, right] = [sideOf(group, group.mine, ours), sideOf(group, group.theirs, others)]
    if (group.theirs.length === 0 || isSame(left, right)) settle(left)
    else if (group.mine.length === 0) settle(right)
    else {
      const { from, to } = group
      places.push({ kind: 'clash', from, base: old.slice(from, to), mine: left, theirs: right })
    }
  }
  settle(old.slice(at))
  return places
}

/** The text with the changes of both versions; undefined if they changed the same or neighbouring lines. Pure. */
export function mergeTexts(versions: Versions): string | undefined {
  const places = mergePlaces(versions)
  return places.every(({ kind }) => kind === 'settled') ? textOf(places, []) : undefined
}

/** The text that results from one choice of lines for each clash, in order. Pure. */
export function textOf(places: readonly Place[], choices: readonly (readonly string[])[]): string {
  let nth = 0
  return places.flatMap((place) => (place.kind === 'settled' ? place.lines : choices[nth++]!)).join('\n')
}

function grouped(mine: readonly Hunk[], theirs: readonly Hunk[]): Group[] {
  const all = [
    ...mine.map((hunk) => ({ hunk, side: 'mine' as const })),
    ...theirs.map((hunk) => ({ hunk, side: 'theirs' as const })),
  ]
  const groups: Group[] = []
  for (const { hunk, side } of all.toSorted(
    (one, other) => one.hunk.from - other.hunk.from || one.hunk.to - other.hunk.to,
  )) {
    let group = groups.at(-1)
    if (group && hunk.from <= group.to) group.to = Math.max(group.to, hunk.to)
    else groups.push((group = { from: hunk.from, to: hunk.to, mine: [], theirs: [] }))
    group[side].push(hunk)
  }
  return groups
}

/** The lines of one version at the place of a group of changes. */
function sideOf({ from, to }: Group, hunks: readonly Hunk[], lines: readonly string[]): string[] {
  const [first, last] = [hunks[0], hunks.at(-1)]
  if (!first || !last) return []
  return lines.slice(first.start - (first.from - from), last.end + (to - last.to))
}

const isSame = (one: readonly string[], other: readonly string[]) =>
  one.length === other.length && one.every((line, at) => line === other[at])
