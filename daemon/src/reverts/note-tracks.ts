import { outsideAuthor, sameAuthor, type Author } from '../entry/author.ts'
import type { VaultCommit } from '../history/vault-commits.ts'
import type { WrittenLines } from '../vaults/vault-change.ts'
import type { Pause } from '../watch/slices.ts'

/**
 * One commit of a note: its content then, and the authors. `mine` says which lines are of the reverted author: all,
 * those without another author in `written`, or only those that `written` names as theirs.
 */
type Step = {
  content: string | undefined
  path: string
  /** The commit, the number of changes in it, and those of its authors who are reverted. */
  rev: string
  changes: number
  by: Author[]
  isOutside: boolean
  isMine: boolean
  mine: 'all' | 'most' | 'some' | 'none'
  written: WrittenLines | undefined
  /** The deletions of the commit. */
  deletions: readonly string[]
}

/**
 * A note through a range of commits, under all its paths. `before` is its content before the first of them.
 * `isReplaced` if its last path has had another note since.
 */
export type NoteTrack = {
  path: string
  paths: Set<string>
  before: string | undefined
  steps: Step[]
  moves: Moved[]
  isReplaced: boolean
}

/** One move of something, and whether a reverted author made it. */
export type Moved = {
  from: string
  to: string
  isMine: boolean
  commit: Pick<VaultCommit, 'rev' | 'author' | 'changes'>
}

/**
 * Follows notes and their moves through commits, oldest first. Commits for which `isMeant` is false count as those of
 * others. Pauses between commits. Pure.
 */
export async function trackNotes(
  commits: readonly VaultCommit[],
  isMine: (author: Author) => boolean,
  isMeant: (commit: VaultCommit) => boolean = () => true,
  pause: Pause = () => undefined,
): Promise<NoteTrack[]> {
  const tracks = new Map<string, NoteTrack>()
  const ended: NoteTrack[] = []

  const trackAt = (path: string, before: string | undefined): NoteTrack => {
    const known = tracks.get(path)
    if (known) return known
    const track: NoteTrack = { path, paths: new Set([path]), before, steps: [], moves: [], isReplaced: false }
    tracks.set(path, track)
    return track
  }

  const end = (path: string): void => {
    const track = tracks.get(path)
    if (!track) return
    track.isReplaced = true
    ended.push(track)
    tracks.delete(path)
  }

  for (const commit of commits) {
    await pause()
    const { author, renames, files, rev, changes } = commit
    const isAuthor = isMeant(commit) && isMine(author)
    const isOutside = sameAuthor(author, outsideAuthor)
    const written = isMeant(commit) ? commit.written : undefined
    const of = new Map(files.map((file) => [file.path, file]))
    const moved = renames.map(({ from, to }) => {
      // What the history does not have before its move is older than the history, not new.
      const track = trackAt(from, of.get(from)?.before ?? of.get(to)?.after)
      tracks.delete(from)
      return { track, from, to }
    })
    for (const { track, from, to } of moved) {
      end(to)
      tracks.set(to, track)
      track.path = to
      track.paths.add(to)
      track.moves.push({ from, to, isMine: isAuthor, commit })
    }
    const sources = new Set(renames.map(({ from }) => from))
    for (const { path, before: old, after } of files) {
      if (after === undefined && sources.has(path)) continue
      if (old === undefined && isAnother(tracks.get(path), { content: after, isOutside })) end(path)
      const track = trackAt(path, old ?? (rewritesLinks(commit) ? after : undefined))
      const share = shareOf(isAuthor, written, isMine)
      const by = [...(isAuthor ? [author] : []), ...writersOf(written).filter(isMine)]
      track.steps.push({
        content: after,
        path,
        rev,
        changes,
        by,
        isOutside,
        isMine: share !== 'none',
        mine: share,
        written,
        deletions: commit.deletions,
      })
    }
  }
  return [...tracks.values(), ...ended].filter(({ steps, moves }) => [...steps, ...moves].some((one) => one.isMine))
}

/**
 * True for a move by the daemon. It creates no note: one that the history had not seen before, at a path to which
 * nothing was moved, is older than the history, and only its links changed.
 */
const rewritesLinks = ({ author, renames, moved }: VaultCommit): boolean =>
  !sameAuthor(author, outsideAuthor) &&
  (renames.length > 0 || moved.some(({ from, to }) => from !== undefined && to !== undefined && from !== to))

/**
 * True if the note created at the path of a deleted note is not that note restored. A program that deletes a note and
 * creates it again is saving it.
 */
function isAnother(track: NoteTrack | undefined, made: { content: string | undefined; isOutside: boolean }): boolean {
  const last = track?.steps.at(-1)
  if (!track || !last || last.content !== undefined || (last.isOutside && made.isOutside)) return false
  return track.steps.findLast((step) => step.content !== undefined)?.content !== made.content
}

const writersOf = (written: WrittenLines | undefined): Author[] => (written ?? []).flatMap(({ by }) => by ?? [])

function shareOf(isAuthor: boolean, written: WrittenLines | undefined, isMine: (author: Author) => boolean) {
  const writers = writersOf(written)
  if (isAuthor) return writers.every(isMine) ? ('all' as const) : ('most' as const)
  return writers.some(isMine) ? ('some' as const) : ('none' as const)
}

/** True when others have moved a note after a reverted author did, so that it is not back where it was. */
export function isMovedOn({ moves, path }: Pick<NoteTrack, 'moves' | 'path'>): boolean {
  const first = moves.find(({ isMine }) => isMine)
  return first !== undefined && !moves.at(-1)!.isMine && first.from !== path
}

/** The moves at the end of a track that are to be undone: where the note is, and where it was before them. */
export function moveToUndo({ moves }: Pick<NoteTrack, 'moves'>): { from: string; to: string } | undefined {
  const last = moves.at(-1)
  if (!last?.isMine) return undefined
  let at = moves.length - 1
  while (at > 0 && moves[at - 1]!.isMine) at--
  return moves[at]!.from === last.to ? undefined : { from: last.to, to: moves[at]!.from }
}
