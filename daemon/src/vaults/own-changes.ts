import { randomUUID } from 'node:crypto'
import { join as joinPath } from 'node:path'
import type { Log } from '@svc/shared/kit/log.ts'
import type { Actor } from '../entry/actor.ts'
import { folderStampAt, stampAt, type ListFolder } from '../watch/list-folder.ts'
import { join } from '../watch/folder-names.ts'
import { slices, type Pause } from '../watch/slices.ts'
import type { VaultWatch } from '../watch/vault-watch.ts'
import type { ChangeOrigin, FileContent, MoveOfChange, RestoredFrom } from './vault-change.ts'
import type { VaultView } from './vault-view.ts'
import type { OwnWrite, Vault } from './vault.ts'

type Options = {
  root: string
  view: VaultView
  watch: VaultWatch
  /** Reads a file that may be a note; undefined when it is gone. */
  read(path: string, stamp: OwnWrite['stamp']): Promise<Pick<OwnWrite, 'stamp' | 'bytes'> | undefined>
  describeFile(path: string, bytes: Buffer | undefined): Promise<FileContent>
  recheck: Vault['recheck']
  list: ListFolder
  log: Log
}

type OwnChanges = Pick<
  Vault,
  | 'wrote'
  | 'restored'
  | 'removed'
  | 'madeFolder'
  | 'removedFolder'
  | 'removedEmptyFolder'
  | 'restoredFolder'
  | 'below'
  | 'moved'
>

type Part = {
  move?: MoveOfChange
  restored?: RestoredFrom | undefined
  /** Runs in the turn of the event loop that publishes the write, immediately before it. */
  first?: (bytes: Buffer | undefined) => void
}

/** Publishes what the daemon itself has changed on disk. */
export function createOwnChanges({ root, view, watch, read, describeFile, recheck, list, log }: Options): OwnChanges {
  const { manifest, publish, moveEnded } = view

  /** The file has been written already: an error while announcing it must not make the change fail. */
  async function announce(path: string, run: () => Promise<void>): Promise<void> {
    try {
      await run()
    } catch (error) {
      log.error({ err: error }, 'a stored file could not be described; it is read again')
      void recheck(path).catch(() => {})
    }
  }

  function addFolders(segments: readonly string[], by: Actor): void {
    for (const depth of segments.keys()) watch.addFolder(segments.slice(0, depth + 1).join('/'), by)
  }

  async function tell(
    { path, stamp, bytes, created, overwritten, by, written }: OwnWrite,
    { move, restored, first }: Part = {},
  ): Promise<void> {
    const origin: ChangeOrigin = { kind: 'api', by, move, written }
    const content = await describeFile(path, bytes)
    first?.(bytes)
    addFolders(path.split('/').slice(0, -1), by)
    publish({ kind: created ? 'created' : 'changed', path, stamp, content, overwritten, restored, origin })
  }

  const wrote: Vault['wrote'] = (write) => announce(write.path, () => tell(write))

  const lookAt = ({ path, at = path, ...write }: Omit<OwnWrite, 'stamp'> & { at?: string | undefined }, part?: Part) =>
    announce(path, async () => {
      const stamp = await stampAt(joinPath(root, at))
      const seen = stamp && (await read(at, stamp))
      if (seen) await tell({ path, ...write, ...seen }, part)
    })

  /** The files directly in these folders. */
  async function* filesIn(folders: readonly string[], pause: Pause): AsyncGenerator<string> {
    for (const folder of folders)
      for (const name of manifest.children(folder)) {
        const child = join(folder, name)
        if (manifest.hasFile(child)) yield child
        await pause()
      }
  }

  /** `folders` lists each folder before those in it; they are removed in reverse order. */
  async function removeFolders(folders: readonly string[], { by, pause }: { by: Actor; pause: Pause }): Promise<void> {
    for (const folder of folders.toReversed()) {
      watch.removeFolder(folder, by)
      await pause()
    }
  }

  const tellFolder = ({ from, path }: { from?: string; path: string }, origin: ChangeOrigin) =>
    announce(path, async () => {
      const stamp = await folderStampAt(joinPath(root, path))
      if (stamp) publish({ kind: 'folder_moved', path, from, stamp, origin })
    })

  const restored: Vault['restored'] = ({ path, by, restored: from }) =>
    lookAt({ path, created: true, by }, { restored: from })

  const removed: Vault['removed'] = ({ path, by, deletion, isErased }) => {
    const { facts: before, stamp } = manifest.file(path) ?? {}
    publish({ kind: 'deleted', path, before, stamp, deletion, isErased, origin: { kind: 'api', by } })
  }

  const madeFolder: Vault['madeFolder'] = (path, by) => addFolders(path.split('/'), by)

  const restoredFolder: Vault['restoredFolder'] = ({ path, by, restored: was }) =>
    announce(path, async () => {
      madeFolder(path, by)
      const listing = await list(root, path)
      const inside = (name: string) => ({
        path: join(path, name),
        by,
        restored: was && { ...was, from: join(was.from, name) },
      })
      for (const name of listing?.files.keys() ?? []) await restored(inside(name))
      for (const name of listing?.folders ?? []) await restoredFolder(inside(name))
    })

  const below: Vault['below'] = async (folder) => {
    const folders = manifest.foldersBelow(folder)
    return { folders, files: await Array.fromAsync(filesIn(folders, slices())) }
  }

  const moved: Vault['moved'] = async ({ from, to, at, folders, files, above = [], rewritten, originals, by }) => {
    const move = { id: randomUUID(), from, to }
    const origin: ChangeOrigin = { kind: 'api', by, move }
    const pause = slices()
    for (const folder of folders) {
      madeFolder(`${to}${folder.slice(from.length)}`, by)
      await pause()
    }
    for (const path of files) {
      let hasLeft = false
      const original = originals?.get(path)
      const old = await original?.()
      const leave = (bytes?: Buffer) => {
        hasLeft = true
        const bytesBefore = originals && (original ? old : bytes)
        publish({ kind: 'deleted', path, before: manifest.file(path)?.facts, bytesBefore, origin })
      }
      await lookAt({ path: `${to}${path.slice(from.length)}`, at, created: true, by }, { move, first: leave })
      if (!hasLeft) leave()
    }
    for (const path of above) await tellFolder({ path }, origin)
    for (const from of folders) await tellFolder({ from, path: `${to}${from.slice(move.from.length)}` }, origin)
    await removeFolders(folders, { by, pause })
    for (const path of rewritten)
      await lookAt({ path, created: false, overwritten: await originals?.get(path)?.(), by }, { move })
    moveEnded()
  }

  return {
    wrote,
    below,
    moved,
    restored,
    removed,
    madeFolder,
    removedEmptyFolder: (path, by) => watch.removeFolder(path, by),
    async removedFolder({ folders, files, by, deletion }) {
      const pause = slices()
      for (const path of files) {
        removed({ path, by, deletion })
        await pause()
      }
      await removeFolders(folders, { by, pause })
    },
    restoredFolder,
  }
}
