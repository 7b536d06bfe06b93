import type { Author } from '../entry/author.ts'
import type { MovedThing } from '../history/commit-message.ts'
import type { VaultCommit } from '../history/vault-commits.ts'
import type { Moved } from './note-tracks.ts'

/** An attachment or folder through its moves. By `is` it is known again after the last of them. */
export type ThingTrack = Pick<MovedThing, 'kind' | 'is'> & { path: string; moves: Moved[] }

/**
 * Follows attachments and folders through commits, oldest first. Commits for which `isMeant` is false count as those of
 * others. Pure.
 */
export function trackThings(
  commits: readonly VaultCommit[],
  isMine: (author: Author) => boolean,
  isMeant: (commit: VaultCommit) => boolean = () => true,
): ThingTrack[] {
  const tracks = new Map<string, ThingTrack>()
  const keyOf = (kind: MovedThing['kind'], path: string) => `${kind} ${path}`
  for (const commit of commits) {
    const isAuthor = isMeant(commit) && isMine(commit.author)
    // All leave their paths before any comes to one: things may exchange them.
    const leaving = commit.moved.map((thing) => {
      const key = keyOf(thing.kind, thing.from)
      const track = tracks.get(key)
      tracks.delete(key)
      return { thing, moves: track?.moves ?? [] }
    })
    for (const { thing, moves } of leaving) {
      const { kind, from, to, is } = thing
      const move = { from, to, isMine: isAuthor, commit }
      tracks.set(keyOf(kind, to), { kind, is, path: to, moves: [...moves, move] })
    }
  }
  return [...tracks.values()].filter(({ moves }) => moves.some((move) => move.isMine))
}
