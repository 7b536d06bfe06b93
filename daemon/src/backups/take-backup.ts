import type { Stats } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '@svc/shared/kit/clock.ts'
import { BACKUP_FORMAT, type BackupSummary } from '@svc/shared/wire/daemon/daemon-backups.api.ts'
import { slices } from '../watch/slices.ts'
import { closedPiece, createChunkWriter, type OpenPiece, type StoreChunk } from './chunk-writer.ts'
import { homeEntries } from './home-entries.ts'
import { knownContent, type KnownContent } from './known-content.ts'
import { encodeManifest, fitsManifest, type FileEntry, type Manifest } from './backup-manifest.ts'
import { isSame, readHomeFile, type FindContent, type ReadFile } from './read-home-file.ts'
import type { ChunkSeal } from './sealed-chunk.ts'

/** Receives the parts of a backup, in this order: chunks, then the manifest. */
export type BackupSink = {
  chunk: StoreChunk
  manifest(sealed: Buffer): Promise<void>
  progress(progress: { files: number; bytes: number }): Promise<void>
}

type Wish = {
  home: string
  backupId: string
  seal: ChunkSeal
  /** Names of chunks that are stored already. */
  stored: Set<string>
  previous: Manifest | undefined
  /** Makes every acknowledged change durable. */
  flush(): Promise<unknown>
  /** Fails while a disk of a vault is away: a backup without its files would look complete. */
  refuseAway(): Promise<void>
  sink: BackupSink
  clock: Clock
  signal: AbortSignal
}

/** A finished backup: its content and its chunks. */
export type TakenBackup = { summary: BackupSummary; manifest: Manifest; chunks: string[] }

/** The maximum number of passes over a home that keeps changing. */
const PASSES = 4
const PROGRESS_MS = 2_000

type Copied = { stat: Stats; entry: FileEntry } | { stat: Stats; read: ReadFile }

/**
 * Reads a home into chunks. After the first pass it looks again for changes until it finds none: then the backup is the
 * home as of that moment. Reading delays no writer.
 */
export async function takeBackup(wish: Wish): Promise<TakenBackup> {
  const { home, seal, stored, previous, sink, clock, signal } = wish
  const takenAt = clock.now().toISOString()
  await wish.refuseAway()
  await wish.flush()
  let sentBytes = 0
  const store: StoreChunk = async (name, sealed) => {
    sentBytes += sealed.length
    await sink.chunk(name, sealed)
  }
  const writer = createChunkWriter({ seal, stored, store })
  const known = knownContent(previous, stored)
  const copying = createCopying({ home, known, writer, signal })

  let bytes = 0
  let toldAt = clock.monotonic()
  let look: Look
  let settled = false
  for (let pass = 1; ; pass++) {
    look = { folders: [], seen: new Set(), skipped: 0 }
    let changed = 0
    for await (const entry of homeEntries(home)) {
      signal.throwIfAborted()
      if (entry.kind === 'skipped') look.skipped += 1
      else if (entry.kind === 'folder') look.folders.push(entry.path)
      else {
        look.seen.add(entry.path)
        if (await copying.copy(entry.path, entry.stat)) changed += 1
        bytes += entry.stat.size
      }
      if (clock.monotonic() - toldAt > PROGRESS_MS) {
        await sink.progress({ files: look.seen.size, bytes })
        toldAt = clock.monotonic()
      }
    }
    changed += copying.dropAllBut(look.seen)
    settled = pass > 1 && changed === 0
    if (settled || pass === PASSES) break
  }
  await writer.flush()
  await wish.refuseAway()

  const head = { format: BACKUP_FORMAT, backupId: wish.backupId, takenAt } as const
  const { files, unfit } = await copying.entries()
  const manifest: Manifest = { head, files, folders: look.folders }
  let manifestParts = 0
  for await (const part of encodeManifest(manifest)) {
    const sealed = await seal.seal(part, `manifest:${wish.backupId}:${manifestParts++}`)
    sentBytes += sealed.length
    await sink.manifest(sealed)
  }
  const chunks = new Set<string>()
  let total = 0
  for (const { size, pieces } of manifest.files.values()) {
    total += size
    for (const [chunk] of pieces) chunks.add(chunk)
  }
  const summary: BackupSummary = {
    takenAt,
    files: manifest.files.size,
    bytes: total,
    readBytes: copying.readBytes(),
    sentBytes,
    chunks: chunks.size,
    manifestParts,
    skipped: look.skipped + unfit,
    settled,
  }
  return { summary, manifest, chunks: [...chunks] }
}

type Look = { folders: string[]; seen: Set<string>; skipped: number }

type CopyingDeps = {
  home: string
  known: KnownContent
  writer: ReturnType<typeof createChunkWriter>
  signal: AbortSignal
}

/** The files of a backup in progress. */
function createCopying({ home, known, writer, signal }: CopyingDeps) {
  const copied = new Map<string, Copied>()
  const contents = new Map<string, OpenPiece[]>()
  let readBytes = 0
  const findContent: FindContent = (sha256, size) => contents.get(sha256) ?? known.find(sha256, size)

  return {
    /** Copies a file unless it is unchanged since it was copied. True when it was read or has changed. */
    copy: async (path: string, stat: Stats): Promise<boolean> => {
      const before = copied.get(path)
      if (before && isSame(before.stat, stat)) return false
      const entry = before === undefined ? known.unchanged(path, stat) : undefined
      if (entry) return copied.set(path, { stat, entry }) && false
      const read = await readHomeFile(join(home, path), { writer, findContent, signal })
      if (read === undefined) return copied.delete(path)
      readBytes += read.size
      if (read.size > 0) contents.set(read.sha256, read.pieces)
      copied.set(path, { stat: read.stat, read })
      return true
    },
    /** Drops files that are gone; returns their number. */
    dropAllBut: (seen: ReadonlySet<string>): number => {
      const gone = [...copied.keys()].filter((path) => !seen.has(path))
      for (const path of gone) copied.delete(path)
      return gone.length
    },
    readBytes: () => readBytes,
    /**
     * The files that a manifest can hold, and how many others there are: one of those would make the whole backup
     * impossible to restore. Call this only after the last flush of the writer.
     */
    entries: async () => {
      const files = new Map<string, FileEntry>()
      const pause = slices(signal)
      for (const [path, found] of copied) {
        const entry = 'entry' in found ? found.entry : entryOf(path, found.read)
        if ('entry' in found || fitsManifest(entry)) files.set(path, entry)
        await pause()
      }
      return { files, unfit: copied.size - files.size }
    },
  }
}

const entryOf = (path: string, { stat, sha256, size, pieces }: ReadFile): FileEntry => ({
  path,
  size,
  mode: stat.mode & 0o777,
  mtimeMs: stat.mtimeMs,
  stamp: [stat.ino, stat.ctimeMs],
  sha256,
  pieces: pieces.map(closedPiece),
})
