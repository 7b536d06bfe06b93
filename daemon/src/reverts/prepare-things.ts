import { join } from 'node:path'
import { undoneByAgent } from '../audit/undone-changes.ts'
import { isSameFile, type FileStamp } from '../files/file-stamp.ts'
import { entryPaths, findEntry } from '../trash/trash-entry.ts'
import type { Vault } from '../vaults/vault.ts'
import { folderStampAt, stampAt } from '../watch/list-folder.ts'
import { isMovedOn, moveToUndo } from './note-tracks.ts'
import type { PlannedNote } from './planned-note.ts'
import { leftReasons } from './left-reasons.ts'
import { eventsOf, type ThingTrack } from './thing-tracks.ts'

type Planned = {
  things: PlannedNote[]
  /** Folders that moves have created above their targets. */
  madeFolders: string[]
  left: { path: string; reason: string }[]
  /** Paths that the history gives and at which nothing is: it does not know where these things are. */
  unknown: string[]
}

/** What to do with one attachment or folder: a step of the plan, a reason to leave it, or nothing. */
type Decision = Pick<PlannedNote, 'action' | 'to' | 'deletion'> | string | undefined

/** Plans how attachments and folders come back, if they are still what they were. */
export async function prepareThings(vault: Vault, tracks: readonly ThingTrack[]): Promise<Planned> {
  const planned: Planned = { things: [], madeFolders: [], left: [], unknown: [] }
  for (const track of tracks) {
    const { kind, path, is } = track
    const now = await stampNow(vault, track)
    const leave = (reason: string) => planned.left.push({ path, reason })
    if (!now && !track.gone) planned.unknown.push(path)
    if (kind === 'folder' && track.made?.isMine) {
      if (now?.ino === is.ino && eventsOf(track).every(({ isMine }) => isMine)) planned.madeFolders.push(path)
      continue
    }
    if (now && isMovedOn(track)) leave(leftReasons.moved)
    if (now && !track.made?.isMine && track.replaced.some(({ isMine }) => isMine)) leave(leftReasons.replaced)
    const decision = track.gone ? await wayBack(vault, track, now) : decide(track, now)
    if (typeof decision === 'string') leave(decision)
    else if (decision) planned.things.push(planOf(track, decision))
  }
  return planned
}

async function stampNow({ layout, manifest }: Vault, { kind, path }: ThingTrack): Promise<FileStamp | undefined> {
  const at = join(layout.root, path)
  // Files that a vault does not show may be behind a link.
  if (kind === 'folder') return manifest.hasFolder(path) ? folderStampAt(at) : undefined
  return manifest.hasFile(path) ? stampAt(at) : undefined
}

function decide(track: ThingTrack, now: FileStamp | undefined): Decision {
  const { kind, is, made } = track
  const move = moveToUndo(track)
  if (made?.isMine) {
    if (!now) return undefined
    const isByOthers = !isSameFile(now, is) || eventsOf(track).some(({ isMine }) => !isMine)
    return isByOthers ? leftReasons.others : { action: 'trash' }
  }
  if (!move) return undefined
  if (!now) return kind === 'attachment' ? leftReasons.gone : undefined
  if (kind === 'folder' && now.ino !== is.ino) return undefined
  if (kind === 'attachment' && !isSameFile(now, is)) return leftReasons.changed
  return { action: 'move_back', to: move.to }
}

/** How a removed attachment comes back. One that exists has been restored; another file at its path is found later. */
async function wayBack(vault: Vault, track: ThingTrack, now: FileStamp | undefined): Promise<Decision> {
  const { gone, made, is } = track
  if (made?.isMine || (now && isSameFile(now, is))) return undefined
  if (!gone?.isMine) return moveToUndo(track) && !now ? leftReasons.gone : undefined
  const { deletion } = gone
  const entry = deletion === undefined ? undefined : await findEntry(vault, deletion)
  if (deletion === undefined || !entry) return leftReasons.erased
  if (entry.kind !== 'attachment') return leftReasons.inFolder
  const content = await stampAt(join(vault.layout.root, entryPaths(deletion).content))
  if (!content || !isSameFile(content, is)) return leftReasons.erased
  const to = moveToUndo(track)?.to
  return { action: 'bring_back', deletion, ...(to !== undefined && { to }) }
}

function planOf(track: ThingTrack, decision: Exclude<Decision, string | undefined>): PlannedNote {
  const { kind, path, is } = track
  const mine = eventsOf(track).filter(({ isMine }) => isMine)
  const undone = undoneByAgent(mine.map(({ commit }) => ({ ...commit, by: [commit.author] })))
  const nothing = { diff: '', conflicts: [], text: '', baseline: undefined, revisions: [], paths: [] }
  return { kind, path, ...decision, ...nothing, is, undone }
}
