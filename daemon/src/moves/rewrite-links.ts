import { fail } from '@svc/shared/wire/errors.ts'
import type { FileNames } from '../links/file-names.ts'
import { createTargetCache } from '../links/target-cache.ts'
import type { LinkPlace } from '../markdown/link-places.ts'
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

type Place = { path: string; text: string; links: readonly LinkPlace[] }
type Rewritten = { text: string; changes: LinkChange[] }
type Meant = Pick<LinkPlace, 'kind' | 'target'>

/** The file that a link leads to before a move, and must lead to after it. */
type Meaning = { was: string; file: string; isPlain: boolean }

/** What the links of one note mean before a move, and whether a link means the same after it. */
function meaningsIn({ before, after, moved }: LinkWorld, path: string) {
  const note = moved.get(path) ?? path
  const fileBefore = createTargetCache(before, path)
  const fileAfter = createTargetCache(after, note)
  return {
    meaningOf(link: Meant): Meaning | undefined {
      const was = fileBefore(link)
      return was === undefined
        ? undefined
        : { was, file: moved.get(was) ?? was, isPlain: isPlainAddress(link, path, was) }
    },
    isMeantBy(link: Meant, { file, isPlain }: Meaning): boolean {
      if (fileAfter(link) !== file) return false
      return !isPlain || link.target === '' || isPlainAddress(link, note, file)
    },
  }
}

/** Tells of each link of a note whether it would lead to another file after a move if it stayed as it is. */
export function divertedIn(world: LinkWorld, path: string): (link: Meant) => boolean {
  const { meaningOf, isMeantBy } = meaningsIn(world, path)
  return (link) => {
    const meaning = meaningOf(link)
    return meaning !== undefined && !isMeantBy(link, meaning)
  }
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
  const { meaningOf, isMeantBy } = meaningsIn(world, path)
  const destinations = new Map<string, string | undefined>()
  const pieces: string[] = []
  const changes: LinkChange[] = []
  let end = 0
  for (const link of links.toSorted((a, b) => a.from - b.from)) {
    await pause()
    const meaning = meaningOf(link)
    if (!meaning || isMeantBy(link, meaning)) continue
    const raw = text.slice(link.from, link.to)
    const was = { note: path, file: meaning.was }
    const key = `${link.kind} ${raw}`
    if (!destinations.has(key))
      destinations.set(key, destinationAfterMove({ link, raw, was, note, file: meaning.file, names: world.after }))
    const after = destinations.get(key)
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
  { path, before, after }: { path: string; before: readonly LinkPlace[]; after: readonly LinkPlace[] },
  pause: () => Promise<void> | undefined,
): Promise<void> {
  const { meaningOf, isMeantBy } = meaningsIn(world, path)
  for (const [index, link] of before.entries()) {
    await pause()
    const now = after[index]
    const meaning = meaningOf(link)
    const isSame = now?.kind === link.kind && now.fragment === link.fragment
    const isMeant = now && (!meaning || isMeantBy(now, meaning))
    if (!isSame || !isMeant || before.length !== after.length) throw unwritable(path, link.line)
  }
}

function unwritable(path: string, line: number) {
  const message = `cannot be written in a link of ${path}, line ${line}: choose a name without # | [ ] and quotes`
  return fail('invalid_request', [{ path: 'to', message }])
}
