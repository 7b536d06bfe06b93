import { mkdir, stat } from 'node:fs/promises'
import { dirname, basename } from 'node:path'
import type { Log } from '@svc/shared/kit/log.ts'
import { createLineAppender } from '../files/append-lines.ts'
import type { Disk } from '../files/disk/disk.ts'
import { replaceFile } from '../files/durable-file.ts'
import { toFileFailure } from '../files/fs-failure.ts'
import { FileTooLarge, NotRegularFile, readOwnFile } from '../files/regular-file.ts'
import { slices } from '../watch/slices.ts'
import { NewsEntry, NewsState } from './news-state.ts'

/** The file that keeps what changed in a vault and what its readers have read. It is read when it is first needed. */
export type NewsFile = {
  /** Writes an entry together with the next ones. */
  addLater(entry: NewsEntry): void
  /** Resolves when the entry is durable. */
  add(entry: NewsEntry): Promise<void>
  /** The state that results from the entries. Rejects if the file cannot be read now; the next call reads it again. */
  read(): Promise<NewsState>
  close(): Promise<void>
}

// A longer file is read once to be rewritten shorter, even if nobody needs it.
const LONG_BYTES = 16 * 1024 * 1024
const MAX_BYTES = 256 * 1024 * 1024
// Superseded entries may make up this much of a file.
const SLACK_BYTES = 1024 * 1024

/** Opens the file of one vault; it is created with the first entry. */
export function newsFile({ path, disk, log }: { path: string; disk: Disk; log: Log }): NewsFile {
  const lines = createLineAppender({ path, disk })
  const folder = mkdir(dirname(path), { recursive: true }).catch(() => {})
  let state: NewsState | undefined
  let reading: Promise<NewsState> | undefined
  /** Entries that arrive while the file is read: they are written after the content that replaces it. */
  let held: { entry: NewsEntry; write(): void }[] = []
  let addedBytes = 0

  void stat(path).then(
    ({ size }) => size > LONG_BYTES && readAhead(),
    () => {},
  )

  function take(entry: NewsEntry, write: (line: string) => void): void {
    const line = JSON.stringify(entry)
    if (reading && !state) return void held.push({ entry, write: () => write(line) })
    state?.apply(entry)
    write(line)
    addedBytes += line.length
    if (addedBytes <= LONG_BYTES) return
    addedBytes = 0
    state = reading = undefined
    readAhead()
  }

  /** Whoever needs the state reads again what could not be read. */
  const readAhead = () => void read().catch(() => {})

  function read(): Promise<NewsState> {
    reading ??= load().catch((error: unknown) => {
      if (error instanceof FileTooLarge || error instanceof NotRegularFile) {
        log.error({ err: error }, 'the file of read notes is no such file; news begin again from now')
        return release(new NewsState())
      }
      log.error({ err: error }, 'the file of read notes cannot be read now')
      reading = undefined
      writeHeld()
      throw toFileFailure(error)
    })
    return reading
  }

  async function load(): Promise<NewsState> {
    await folder
    await lines.flush()
    const text = (await readOwnFile(path, MAX_BYTES)) ?? ''
    const found = new NewsState()
    const pause = slices()
    for (let at = 0; at < text.length;) {
      const end = text.indexOf('\n', at)
      const entry = entryIn(text.slice(at, end === -1 ? text.length : end))
      if (entry) found.apply(entry)
      at = end === -1 ? text.length : end + 1
      await pause()
    }
    const kept: string[] = []
    let bytes = 0
    for (const entry of found.entries()) {
      const line = `${JSON.stringify(entry)}\n`
      kept.push(line)
      bytes += line.length
      await pause()
    }
    if (text.length > 2 * bytes + SLACK_BYTES)
      await replaceFile(dirname(path), basename(path), kept.join('')).catch((error: unknown) =>
        log.warn({ err: error }, 'the file of read notes stays as long as it is'),
      )
    return release(found)
  }

  function release(found: NewsState): NewsState {
    state = found
    for (const { entry } of held) found.apply(entry)
    writeHeld()
    return found
  }

  function writeHeld(): void {
    for (const { write } of held) write()
    held = []
  }

  return {
    addLater: (entry) => take(entry, lines.appendLater),
    add: async (entry) => {
      await folder
      return new Promise((resolve, reject) => take(entry, (line) => lines.append(line).then(resolve, reject)))
    },
    read,
    async close() {
      await reading?.catch(() => {})
      await lines.flush()
    },
  }
}

/** The entry in a line. A line that a crash has cut, or that another version wrote, is ignored. */
function entryIn(line: string): NewsEntry | undefined {
  if (line === '') return undefined
  try {
    return NewsEntry.safeParse(JSON.parse(line)).data
  } catch {
    return undefined
  }
}
