import { join } from 'node:path'
import { getHeapStatistics } from 'node:v8'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import type { Disk } from '../files/disk/disk.ts'
import type { WriteNote } from '../notes/write-note.ts'
import type { LiveNotes } from '../vaults/live-notes.ts'
import { perVault, type PerVault, type VaultChange, type VaultFollower } from '../vaults/vault-change.ts'
import type { Vault } from '../vaults/vault.ts'
import { openTextLimit, OpenTexts } from './document/open-texts.ts'
import { logFile, readLog } from './log/log-file.ts'
import type { LiveSession } from './live-session.ts'
import type { LiveSessions } from './open-live-sessions.ts'
import { followFile, type FileFollower } from './follow-file.ts'

type Options = {
  /** The folder of the write-ahead logs of all vaults. */
  folder: string
  writeNote: WriteNote
  maxNoteBytes: number
  disk: Disk
  clock: Clock
  log: Log
}

type LiveOfVault = LiveNotes &
  VaultFollower & {
    start(vault: Vault): Promise<void>
    /** The sessions of the vault, loaded with the first note that is opened. */
    sessions(): Promise<LiveSessions>
    close(): Promise<void>
  }

export type LiveOfVaults = PerVault<LiveOfVault>

const WRITE_BEHIND = { idleMs: 1000, atMostMs: 5000 }
const LINGER_MS = 30_000

/** The live sessions of every vault. A vault without open notes costs nothing: the code is loaded on first use. */
export function followLive({ folder, writeNote, maxNoteBytes, disk, clock, log }: Options): LiveOfVaults {
  const texts = new OpenTexts(openTextLimit(getHeapStatistics().heap_size_limit))
  return perVault(({ id }) => {
    let vault: Vault | undefined
    let logged: Buffer = Buffer.alloc(0)
    let loading: Promise<LiveSessions> | undefined
    let loaded: LiveSessions | undefined
    let follower: FileFollower | undefined
    let closing: Promise<void> | undefined
    const path = join(folder, `${id}.wal`)

    async function load(): Promise<LiveSessions> {
      const [{ openLiveSessions }, { vaultNoteFiles }] = await Promise.all([
        import('./open-live-sessions.ts'),
        import('./vault-note-files.ts'),
      ])
      const files = vaultNoteFiles({ vault: vault!, writeNote, maxNoteBytes, clock })
      const file = logFile({ path, disk })
      const timing = { writeBehind: WRITE_BEHIND, lingerMs: LINGER_MS }
      const logger = log.child({ vault: id })
      const onMissing = (session: LiveSession) => follower!.notFound(session)
      loaded = await openLiveSessions({ files, file, logged, texts, maxNoteBytes, ...timing, onMissing, clock, logger })
      logged = Buffer.alloc(0)
      const look = async () => {
        await vault!.look()
        return loaded !== undefined
      }
      follower = followFile({ sessions: loaded, files, look, logger })
      return loaded
    }
    const sessions = async (): Promise<LiveSessions> => {
      if (closing && !loading) throw fail('vault_closing')
      // A load that failed is tried again, but not by a vault that closes.
      loading ??= load().catch((error: unknown) => {
        loading = undefined
        throw error
      })
      return loading
    }

    const close = async (): Promise<void> => {
      const open = await loading?.catch(() => undefined)
      loaded = undefined
      await open?.close()
    }

    return {
      sessions,
      async start(opened) {
        vault = opened
        const bytes = await readLog(path)
        if (bytes === undefined || bytes.length === 0) return
        logged = bytes
        const { restoreAll } = await sessions()
        await opened.queue.runAlone(restoreAll)
      },
      changed: (change: VaultChange) => follower?.changed(change),
      unsaved: (note, file) => loaded?.find(note)?.unsavedText(file),
      written: (note, file) => loaded?.find(note)?.unsavedLines(file),
      unsavedNotes: () => loaded?.unsaved() ?? [],
      save: async (note) => loaded?.find(note)?.saves.saveInQueue(),
      saveAll: async () => loaded?.flushInQueue() ?? new Map(),
      flush: async () => loaded?.flush() ?? new Map(),
      logged: async () => loaded?.logged(),
      /** Called by the vault before it ends its writes, and again by the view of the vault. */
      close: () => (closing ??= close()),
    }
  })
}
