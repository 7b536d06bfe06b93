import { join } from 'node:path'
import { undoneByAgent } from '../audit/undone-changes.ts'
import { isSameFile } from '../files/open-file.ts'
import type { Vault } from '../vaults/vault.ts'
import { folderStampAt, stampAt } from '../watch/list-folder.ts'
import { isMovedOn, moveToUndo } from './note-tracks.ts'
import type { PlannedNote } from './planned-note.ts'
import { leftReasons } from './left-reasons.ts'
import type { ThingTrack } from './thing-tracks.ts'

type Planned = { things: PlannedNote[]; left: { path: string; reason: string }[] }

/** Plans the way back of attachments and folders, as far as they are still what was moved. */
export async function prepareThings({ layout, manifest }: Vault, tracks: readonly ThingTrack[]): Promise<Planned> {
  const planned: Planned = { things: [], left: [] }
  for (const track of tracks) {
    const { kind, path, is, moves } = track
    const leave = (reason: string) => planned.left.push({ path, reason })
    const at = join(layout.root, path)
    // What a vault does not show may lie behind a link.
    const isShown = kind === 'folder' ? manifest.hasFolder(path) : manifest.hasFile(path)
    const now = isShown ? await (kind === 'folder' ? folderStampAt(at) : stampAt(at)) : undefined
    const move = moveToUndo(track)
    if (!now) {
      if (move && kind === 'attachment') leave(leftReasons.gone)
      continue
    }
    if (isMovedOn(track)) leave(leftReasons.moved)
    if (!move) continue
    if (kind === 'folder' && now.ino !== is.ino) continue
    if (kind === 'attachment' && !isSameFile(now, is)) {
      leave(leftReasons.changed)
      continue
    }
    const undone = undoneByAgent(
      moves.flatMap(({ isMine, commit }) => (isMine ? { ...commit, by: [commit.author] } : [])),
    )
    planned.things.push({
      kind,
      path,
      to: move.to,
      action: 'move_back',
      diff: '',
      conflicts: [],
      text: '',
      baseline: undefined,
      is,
      now: '',
      revisions: [],
      paths: [],
      undone,
    })
  }
  return planned
}
