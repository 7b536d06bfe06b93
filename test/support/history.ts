import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { writeSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { outsideAuthor } from '../../daemon/src/entry/author.ts'
import { openHistory, type ReadGit } from '../../daemon/src/history/history-reader.ts'
import { noteHistory } from '../../daemon/src/history/note-history.ts'
import { readHistory } from '../../daemon/src/history/read-history.ts'
import { knownNotes } from '../../daemon/src/watch/known-notes.ts'
import type { RestoredFrom } from '../../daemon/src/vaults/vault-change.ts'
import { nothingRemembered } from '../../daemon/src/watch/remembered.ts'
import { ailingGit, FULL_DISK } from './ailing-git.ts'
import { removeFolder } from './remove-folder.ts'

// Bytes of the volume that must stay free.
const RESERVED = 1_000_000

const stamp = { size: 1, mtimeMs: 1, ctimeMs: 1, ino: 1 }
const facts = { kind: 'note', baseline: '', title: '' } as const

/** The object name that git gives to a content. */
export const blobOf = (text: string): string =>
  createHash('sha1')
    .update(`blob ${Buffer.byteLength(text)}\0${text}`)
    .digest('hex')

const authorNamed = (name: string) => (name === 'outside' ? outsideAuthor : { id: `usr_${name}`, name })

/** A history in a folder of its own, of notes that are kept in memory. Only `pass` advances its clock. */
export async function memoryVault() {
  const folder = await mkdtemp(join(tmpdir(), 'svc-history-'))
  const gitDir = join(folder, 'v.git')
  const { ail, heal, install } = ailingGit(folder)
  let runs = 0
  const notes = new Map<string, string>()
  const hidden = new Set<string>()
  const logged: { level: string; msg: string }[] = []
  let nowMs = Date.parse('2026-03-01T10:00:00Z')
  const clock = { ...systemClock, now: () => new Date(nowMs), monotonic: () => nowMs }
  const log = createLog({
    service: 'test',
    level: 'info',
    destination: { write: (line) => void logged.push(JSON.parse(line) as never) },
  })
  let searchPath = ''
  let freeBytes = Number.POSITIVE_INFINITY
  let write: (fd: number, bytes: Buffer) => number = writeSync
  const open = async () => {
    searchPath = await install(`bin${runs++}`)
    return noteHistory({
      limits: { bytes: 64_000, outsideBytes: 64_000, outside: 200 },
      write: (fd, bytes) => write(fd, bytes),
      gitDir,
      searchPath,
      async makeRoom(bytes) {
        if (freeBytes - bytes < RESERVED) throw fail('storage_full')
      },
      clock,
      log,
      source: {
        vault: undefined,
        notes() {
          const apart = Array.from(notes, ([path, text]) => ({ path, stamp, facts: { ...facts, blob: blobOf(text) } }))
          return knownNotes({ files: nothingRemembered, isThere: new Uint8Array(0), apart }, () => undefined)
        },
        read: async (path) => (notes.has(path) ? Buffer.from(notes.get(path)!) : undefined),
        mayBeThere: (path) => hidden.has(path),
      },
    })
  }
  let history = await open()
  let reads = 0
  const reader = readHistory({
    async open(of) {
      const git = await openHistory({ searchPath })(of)
      type Args = Parameters<ReadGit['records']>
      return (
        git &&
        Object.assign((args: Args[0]) => (reads++, git(args)), {
          records: (...args: Args) => (reads++, git.records(...args)),
        })
      )
    },
  })

  return {
    gitDir,
    notes,
    /** Paths that exist but cannot be read. */
    hidden,
    logged,
    get history() {
      return history
    },
    reader,
    /** How often the reader has run git. */
    reads: () => reads,
    /** Lines of a shell that git runs first, from now until `heal`. */
    ail,
    heal,
    /** From now on, this is the free space of the volume. */
    leave: (bytes: number) => void (freeBytes = RESERVED + bytes),
    fill: () => ail(FULL_DISK),
    empty: heal,
    useWrite: (wrap: (through: typeof write) => typeof write) => void (write = wrap(writeSync)),
    pass: (ms: number) => void (nowMs += ms),
    /** A change by somebody, reported to the history. */
    put(path: string, text: string, by = 'Ann', restored?: RestoredFrom) {
      const kind = notes.has(path) ? 'changed' : 'created'
      notes.set(path, text)
      history.record({
        kind,
        path,
        bytes: Buffer.from(text),
        blob: blobOf(text),
        restored,
        author: authorNamed(by),
      })
    },
    remove(path: string, by = 'Ann', deletion?: string) {
      const text = notes.get(path) ?? ''
      notes.delete(path)
      history.record({
        kind: 'deleted',
        path,
        bytes: undefined,
        blob: blobOf(text),
        deletion,
        author: authorNamed(by),
      })
    },
    /** Ends the running history as a kill does, without further writes, and opens it again. */
    async killed() {
      await rm(searchPath, { recursive: true })
      await history.commitAll()
      history = await open()
    },
    revisions: async (path: string) => (await reader.revisions(history, { path, limit: 50, offset: 0 })).revisions,
    async texts(path: string) {
      const { revisions } = await reader.revisions(history, { path, limit: 50, offset: 0 })
      return Promise.all(
        revisions.map(async ({ rev, author, path: then }) => {
          const text = await reader.textAt(history, { path, rev }).catch(() => undefined)
          return `${author.name} ${then} ${text?.trim() ?? 'gone'}`
        }),
      )
    },
    git: (...args: string[]) =>
      execFileSync('git', [`--git-dir=${gitDir}`, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }),
    async close() {
      await history.close()
      await removeFolder(folder)
    },
  }
}
