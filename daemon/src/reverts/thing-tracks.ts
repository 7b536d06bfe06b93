import type { Author } from '../entry/author.ts'
import { isSameFile } from '../files/file-stamp.ts'
import type { MovedThing } from '../history/commit-message.ts'
import type { VaultCommit } from '../history/vault-commits.ts'
import type { Pause } from '../watch/slices.ts'
import type { Moved } from './note-tracks.ts'

/** Something that a commit did, and whether a reverted author made the commit. */
type Event = Pick<Moved, 'isMine' | 'commit'>

/** An attachment or folder through its moves. `is` identifies it after the last event. */
export type ThingTrack = Pick<MovedThing, 'kind' | 'is'> & {
  path: string
  moves: Moved[]
  /** When it was created, if that was recorded. */
  made?: Event | undefined
  /** When its content was replaced. */
  replaced: Event[]
  /** When it was removed, if it has not come back, and the deletion that put it into the trash. */
  gone?: (Event & { deletion: string | undefined }) | undefined
}

/** Everything that happened to it. */
export const eventsOf = ({ made, gone, replaced, moves }: ThingTrack): Event[] => [
  ...(made ? [made] : []),
  ...replaced,
  ...moves,
  ...(gone ? [gone] : []),
]

/**
 * Follows attachments and folders through commits, oldest first. Commits for which `isMeant` is false count as those of
 * others. Pauses between commits. Pure.
 */
export async function trackThings(
  commits: readonly VaultCommit[],
  isMine: (author: Author) => boolean,
  isMeant: (commit: VaultCommit) => boolean = () => true,
  pause: Pause = () => undefined,
): Promise<ThingTrack[]> {
  const tracks = new Map<string, ThingTrack>()
  const ended: ThingTrack[] = []
  const keyOf = (kind: MovedThing['kind'], path: string) => `${kind} ${path}`
  for (const commit of commits) {
    await pause()
    const event = { isMine: isMeant(commit) && isMine(commit.author), commit }
    // Everything leaves its path before anything takes a path: things may exchange their paths.
    const leaving = commit.moved.map((thing) => {
      const { kind, from, to, is } = thing
      const key = keyOf(kind, from ?? to ?? '')
      const known = tracks.get(key)
      tracks.delete(key)
      const isAnother = known && from === undefined && !(known.gone && isSameFile(known.is, is))
      if (isAnother) ended.push(known)
      return { thing, known: isAnother ? undefined : known }
    })
    for (const { thing, known } of leaving) {
      const { kind, from, to, is, deletion } = thing
      const path = to ?? from ?? ''
      const moves = known?.moves ?? []
      const isMove = from !== undefined && to !== undefined && from !== to
      tracks.set(keyOf(kind, path), {
        kind,
        is,
        path,
        moves: isMove ? [...moves, { from, to, ...event }] : moves,
        made: from === undefined && !known ? event : known?.made,
        replaced: from === to ? [...(known?.replaced ?? []), event] : (known?.replaced ?? []),
        gone: to === undefined ? { ...event, deletion } : undefined,
      })
    }
  }
  return [...tracks.values(), ...ended].filter((track) => eventsOf(track).some((one) => one.isMine))
}
