import { fail } from '@svc/shared/wire/errors.ts'
import type { FileNames } from '../links/file-names.ts'
import { resolveTarget } from '../links/resolve-target.ts'
import type { NoteLink } from '../markdown/note-links.ts'
import { destinationAfterMove, isPlainAddress } from './link-text.ts'
import type { MovedFiles } from './moved-names.ts'

/** One link that a move rewrites. */
export type LinkChange = { line: number; before: string; after: string }

/** What is needed to resolve a link before and after a move. */
export type LinkWorld = {
  before: Pick<FileNames, 'named'>
  after: Pick<FileNames, 'named'>
  moved: MovedFiles
}

type Place = { path: string; text: string; links: readonly NoteLink[] }
type Rewritten = { text: string; changes: LinkChange[] }
type Meant = Pick<NoteLink, 'kind' | 'target'>

/** The file that a link leads to before a move, and must lead to after it. */
type Meaning = { was: string; file: string; isPlain: boolean }

function meaningOf({ before, moved }: LinkWorld, { kind, target }: Meant, path: string): Meaning | undefined {
  const was = resolveTarget(before, { target, from: path, style: styleOf(kind) })
  if (was === undefined) return undefined
  return { was, file: moved.get(was) ?? was, isPlain: isPlainAddress({ kind, target }, path, was) }
}

function isMeantBy({ after, moved }: LinkWorld, link: Meant, path: string, { file, isPlain }: Meaning): boolean {
  const note = moved.get(path) ?? path
  if (resolveTarget(after, { target: link.target, from: note, style: styleOf(link.kind) }) !== file) return false
  return !isPlain || link.target === '' || isPlainAddress(link, note, file)
}

/** True if a link of a note would lead to another file after a move if it stayed as it is. */
export function isDivertedBy(world: LinkWorld, link: Meant, path: string): boolean {
  const meaning = meaningOf(world, link, path)
  return meaning !== undefined && !isMeantBy(world, link, path, meaning)
}

/**
 * The text of a note in which every link leads to the same file as before a move; undefined if no link must change. All
 * other bytes stay. Fails if a link cannot name the file: a wiki link cannot contain a `#`.
 */
export async function rewriteLinks(
  world: LinkWorld,
  { path, text, links }: Place,
  pause: () => Promise<void> | undefined,
): Promise<Rewritten | undefined> {
  const note = world.moved.get(path) ?? path
  const pieces: string[] = []
  const changes: LinkChange[] = []
  let end = 0
  for (const link of links.toSorted((a, b) => a.from - b.from)) {
    await pause()
    const meaning = meaningOf(world, link, path)
    if (!meaning || isMeantBy(world, link, path, meaning)) continue
    const raw = text.slice(link.from, link.to)
    const was = { note: path, file: meaning.was }
    const after = destinationAfterMove({ link, raw, was, note, file: meaning.file, names: world.after })
    if (after === undefined) throw unwritable(path, link.line)
    pieces.push(text.slice(end, link.from), after)
    end = link.to
    changes.push({ line: link.line, before: raw, after })
  }
  return changes.length === 0 ? undefined : { text: pieces.join('') + text.slice(end), changes }
}

/** Fails unless every link of a rewritten note reads as it should: quotes in properties can break a name. */
export async function checkLinks(
  world: LinkWorld,
  { path, before, after }: { path: string; before: readonly NoteLink[]; after: readonly NoteLink[] },
  pause: () => Promise<void> | undefined,
): Promise<void> {
  for (const [index, link] of before.entries()) {
    await pause()
    const now = after[index]
    const meaning = meaningOf(world, link, path)
    const isSame = now?.kind === link.kind && now.fragment === link.fragment
    const isMeant = now && (!meaning || isMeantBy(world, now, path, meaning))
    if (!isSame || !isMeant || before.length !== after.length) throw unwritable(path, link.line)
  }
}

const styleOf = (kind: NoteLink['kind']) => (kind === 'wiki' ? 'wiki' : 'address')

function unwritable(path: string, line: number) {
  const message = `cannot be written in a link of ${path}, line ${line}: choose a name without # | [ ] and quotes`
  return fail('invalid_request', [{ path: 'to', message }])
}
