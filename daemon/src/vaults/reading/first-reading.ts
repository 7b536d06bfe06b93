import type { Log } from '@svc/shared/kit/log.ts'
import { toFileFailure } from '../../files/fs-failure.ts'
import type { Manifest } from '../../watch/manifest.ts'
import type { VaultWatch } from '../../watch/vault-watch.ts'
import { beginEarly, forgetGone, type FileMemory } from '../file-memory.ts'
import type { VaultView } from '../vault-view.ts'
import { createUnreadFiles } from './read-unread.ts'

/** The first listing and reading of a vault. A failure of one file or folder delays nothing but that. */
export type FirstReading = {
  /**
   * Resolves when the files of the vault have been listed. While the folder of the vault cannot be read, it rejects
   * with the reason, until a later attempt succeeds.
   */
  listed(): Promise<void>
  /** True when every note that was there and could be read has been read. */
  isIndexed(): boolean
  /** The files and folders that could not be read yet. They are tried again. */
  unread(): string[]
  /** Resolves when nothing is left to be read, or when the signal has aborted. Never rejects. */
  ended: Promise<void>
}

type Options = {
  manifest: Manifest
  memory: FileMemory
  watch: Pick<VaultWatch, 'start' | 'unreadable' | 'unread' | 'away'>
  /** Reads one file; false if it could not be read. */
  read(path: string): Promise<boolean>
  /** Is told when every file that could be read is known, and again when more files have been read. */
  view: Pick<VaultView, 'caughtUp' | 'unreadChanged'>
  signal: AbortSignal
  log: Log
  delayMs?: (attempts: number) => number
}

// A larger number of notes is read by a separate process.
const READ_HERE = 100

/** Begins to list and read a vault. */
export function beginReading({ manifest, memory, watch, read, view, signal, log, ...timing }: Options): FirstReading {
  const files = createUnreadFiles({ read, signal, log, ...timing })
  let indexed = false
  let isRefused = false
  let listed = Promise.withResolvers<void>()
  listed.promise.catch(() => {})

  function onUnlisted(error: unknown): void {
    if (!isRefused) log.error({ err: error }, 'the folder of a vault cannot be listed; it is tried again')
    isRefused = true
    listed.reject(toFileFailure(error))
  }

  async function list(): Promise<void> {
    try {
      await memory.open()
      await watch.start({ walk: memory.walk, onListed: beginEarly(memory), onUnlisted })
    } catch (error) {
      listed.reject(error)
      throw error
    }
    if (isRefused) {
      log.info('the folder of a vault has been listed')
      listed = Promise.withResolvers<void>()
    }
    listed.resolve()
  }

  async function readAll(): Promise<void> {
    if (manifest.unread().length > READ_HERE)
      await memory.rebuild().catch((error: unknown) => {
        if (!signal.aborted) log.error({ err: error }, 'the separate process that reads notes has failed')
      })
    await forgetGone(manifest, memory, signal)
    await files.readEach(manifest.unread())
    indexed = true
    const tell = () => view.caughtUp([...watch.unreadable(), ...watch.away()])
    tell()
    if (files.failed().length === 0) return
    view.unreadChanged()
    await files.readAgain(() => {
      tell()
      view.unreadChanged()
    })
  }

  async function readVault(): Promise<void> {
    try {
      await list()
      await readAll()
    } catch (error) {
      if (!signal.aborted) log.error({ err: error }, 'a vault could not be read')
    }
  }

  const ended = readVault()
  return {
    listed: () => listed.promise,
    isIndexed: () => indexed,
    unread: () => [...watch.unread(), ...files.failed()],
    ended,
  }
}
