import { openDB, type DBSchema, type IDBPDatabase } from 'idb'
import type { NoteRef } from '../api/daemon-client.ts'
import type { Unsent } from '../live/live-text.ts'
import { inTime, Late } from './in-time.ts'
import type { TabLocks } from './tab-lock.ts'

/** The stored text of one client of one note. */
type Kept = { clientId: string; owner: string; vaultId: string; path: string; unsent: Unsent }

type Schema = DBSchema & { unsent: { key: string; value: Kept; indexes: { note: [string, string, string] } } }

/** The exclusive right to be one client of a note; no other tab has it. */
export type Lease = {
  /** Unsent text of an earlier visit, or the id of a new client. */
  client: string | Unsent
  /** Stores the unsent text, or deletes it. Returns whether that succeeded. */
  keep(path: string, unsent: Unsent | undefined): Promise<boolean>
  end(): void
}

export type KeptTexts = ReturnType<typeof keptTexts>

type Options = { owner: string; locks: TabLocks; open: () => Promise<IDBPDatabase<Schema>> }

// A note is opened without its stored text if the storage does not respond in this time.
const PATIENCE_MS = 5000

const newClientId = () => {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Opens the database of this browser; it is created on first use. */
export const openKeptTexts = (): Promise<IDBPDatabase<Schema>> =>
  openDB<Schema>('svc-unsent', 1, {
    upgrade(database) {
      const store = database.createObjectStore('unsent', { keyPath: 'clientId' })
      store.createIndex('note', ['owner', 'vaultId', 'path'])
    },
  })

/**
 * Stores text that the daemon does not have yet, in this browser for one person. Nothing here throws: without space,
 * or when the browser does not answer, nothing is stored.
 */
export function keptTexts({ owner, locks, open }: Options) {
  let opening: Promise<IDBPDatabase<Schema>> | undefined
  const database = () =>
    (opening ??= open().catch((error: unknown) => {
      opening = undefined
      throw error
    }))

  /** The database did not open in time. Later calls do not wait for it again. */
  let isHung = false
  async function stored<T>(work: (open: IDBPDatabase<Schema>) => Promise<T>): Promise<T> {
    if (isHung) throw new Late('the browser does not open its database')
    try {
      return await inTime(database().then(work), PATIENCE_MS)
    } catch (error) {
      if (error instanceof Late) {
        isHung = true
        void database().then(
          () => (isHung = false),
          () => (isHung = false),
        )
      }
      throw error
    }
  }

  async function lease(ref: NoteRef, clientId: string, release: () => void): Promise<Lease> {
    const { vaultId } = ref
    const found = await stored((open) => open.get('unsent', clientId)).catch(() => undefined)
    return {
      client: found?.unsent ?? clientId,
      async keep(path, unsent) {
        try {
          await stored(async (open) => {
            const transaction = open.transaction('unsent', 'readwrite')
            const { store } = transaction
            const change = unsent ? store.put({ clientId, owner, vaultId, path, unsent }) : store.delete(clientId)
            // The page may be gone before the write is confirmed, and IndexedDB would then undo it without this commit.
            transaction.commit()
            await Promise.all([change, transaction.done])
          })
          return true
        } catch {
          return unsent === undefined
        }
      },
      end: release,
    }
  }

  const clientsOf = async ({ vaultId, path }: NoteRef): Promise<string[]> => {
    try {
      return await stored((open) => open.getAllKeysFromIndex('unsent', 'note', [owner, vaultId, path]))
    } catch {
      return []
    }
  }

  /** Claims unsent text of a note that no open tab has; undefined if there is none. */
  async function takeOver(ref: NoteRef): Promise<Lease | undefined> {
    for (const clientId of await clientsOf(ref)) {
      const release = await locks.take(lockOf(clientId))
      if (!release) continue
      const taken = await lease(ref, clientId, release)
      if (typeof taken.client !== 'string') return taken
      release()
    }
    return undefined
  }

  return {
    takeOver,
    /** Unsent text of the note from an earlier visit, or a new client. */
    async leaseOf(ref: NoteRef): Promise<Lease> {
      const taken = await takeOver(ref)
      if (taken) return taken
      const clientId = newClientId()
      return lease(ref, clientId, (await locks.take(lockOf(clientId))) ?? (() => {}))
    },
    /** Paths of the notes of a vault with stored text; some may be open in other tabs. */
    async paths(vaultId: string): Promise<string[]> {
      try {
        return await stored(async (open) => {
          const paths = new Set<string>()
          let cursor = await open
            .transaction('unsent')
            .store.index('note')
            .openKeyCursor(IDBKeyRange.bound([owner, vaultId], [owner, vaultId, []]))
          for (; cursor; cursor = await cursor.continue()) paths.add((cursor.key as [string, string, string])[2])
          return [...paths]
        })
      } catch {
        return []
      }
    },
  }
}

const lockOf = (clientId: string) => `svc-live:${clientId}`
