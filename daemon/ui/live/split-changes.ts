import { ChangeSet } from '@codemirror/state'

// Well below what one message may hold.
const MAX_CHARACTERS = 64 * 1024
const MAX_CHANGES = 1000

type Change = { from: number; to: number; insert: string }

/**
 * Splits a change set into consecutive change sets of bounded size; usually the result is one. Never splits a surrogate
 * pair.
 */
export function splitChanges(changes: ChangeSet): ChangeSet[] {
  const pieces: Change[] = []
  changes.iterChanges(
    (from, to, _start, _end, inserted) => pieces.push(...splitInsert(from, to, inserted.toString())),
    true,
  )
  const isSmall = pieces.length <= MAX_CHANGES && pieces.every(({ insert }) => insert.length <= MAX_CHARACTERS)
  const characters = pieces.reduce((sum, { insert }) => sum + insert.length, 0)
  if (isSmall && characters <= MAX_CHARACTERS) return changes.empty ? [] : [changes]

  const split: ChangeSet[] = []
  let length = changes.length
  let shift = 0
  for (const group of grouped(pieces)) {
    const specs = group.map(({ from, to, insert }) => ({ from: from + shift, to: to + shift, insert }))
    const part = ChangeSet.of(specs, length, '\n')
    split.push(part)
    shift += part.newLength - part.length
    length = part.newLength
  }
  return split
}

/** Two consecutive changes as one; undefined if that one would be split, or would change nothing. */
export function joinChanges(first: ChangeSet, next: ChangeSet): ChangeSet | undefined {
  const joined = first.compose(next)
  return splitChanges(joined).length === 1 ? joined : undefined
}

/** The first piece replaces the deleted text; each further piece is inserted after the one before. */
function splitInsert(from: number, to: number, insert: string): Change[] {
  const pieces: Change[] = []
  let at = 0
  do {
    let end = Math.min(at + MAX_CHARACTERS, insert.length)
    if (end < insert.length && isHigh(insert.charCodeAt(end - 1))) end -= 1
    pieces.push({ from: pieces.length === 0 ? from : to, to, insert: insert.slice(at, end) })
    at = end
  } while (at < insert.length)
  return pieces
}

const isHigh = (unit: number): boolean => (unit & 0xfc00) === 0xd800

function* grouped(pieces: readonly Change[]): Generator<Change[]> {
  let group: Change[] = []
  let characters = 0
  for (const piece of pieces) {
    if (group.length > 0 && (group.length === MAX_CHANGES || characters + piece.insert.length > MAX_CHARACTERS)) {
      yield group
      group = []
      characters = 0
    }
    group.push(piece)
    characters += piece.insert.length
  }
  if (group.length > 0) yield group
}
