import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { RestoreSummary } from '@svc/shared/wire/daemon/daemon-backups.api.ts'
import { systemDisk } from '../files/disk/disk.ts'
import { syncFolder } from '../files/durable-file.ts'
import { openRegularFile } from '../files/regular-file.ts'
import { backupBroken } from './backup-broken.ts'
import type { FileEntry, Manifest } from './backup-manifest.ts'
import type { ChunkSeal } from './sealed-chunk.ts'

type Wish = {
  /** An empty folder that becomes a home. */
  folder: string
  manifest: Manifest
  seal: ChunkSeal
  /** Every chunk that the manifest names, in any order. */
  chunks: AsyncIterable<{ name: string; sealed: Buffer }>
  progress(progress: { files: number; bytes: number }): Promise<void>
  signal: AbortSignal
}

type Target = { path: string; fileOffset: number; offset: number; length: number }

const READ_BYTES = 1024 * 1024

/**
 * Writes the home of a backup into a folder and verifies it: every file is read again and must have the hash in the
 * manifest. Everything is durable afterwards. Throws backup_broken if anything is missing or differs.
 */
export async function stageRestore({
  folder,
  manifest,
  seal,
  chunks,
  progress,
  signal,
}: Wish): Promise<RestoreSummary> {
  const { files, folders } = manifest
  for (const path of folders) await mkdir(join(folder, path), { mode: 0o700 })
  for (const { path } of files.values()) {
    signal.throwIfAborted()
    await (await systemDisk.open(join(folder, path), 'wx', 0o600)).close()
  }

  const targets = targetsOf(files.values())
  let bytes = 0
  for await (const { name, sealed } of chunks) {
    signal.throwIfAborted()
    const wanted = targets.get(name)
    if (wanted === undefined) continue // sent twice, or belongs to another backup
    const content = await seal.open(sealed, `chunk:${name}`)
    for (const { path, fileOffset, offset, length } of wanted) {
      if (offset + length > content.length) throw backupBroken('ChunkChanged')
      await writeAt(join(folder, path), content.subarray(offset, offset + length), fileOffset)
      bytes += length
    }
    targets.delete(name)
    await progress({ files: 0, bytes })
  }
  if (targets.size > 0) throw backupBroken('ChunkMissing')

  let proved = 0
  for (const file of files.values()) {
    signal.throwIfAborted()
    await proveFile(join(folder, file.path), file)
    await progress({ files: ++proved, bytes })
  }
  for (const path of folders.toReversed()) await syncFolder(join(folder, path))
  await syncFolder(folder)
  return { files: files.size, bytes, vaults: [...files.keys()].filter((path) => VAULT_FILE.test(path)).length }
}

const VAULT_FILE = /^vaults\/[^/]+\/\.svc\/vault\.json$/

function targetsOf(files: Iterable<FileEntry>): Map<string, Target[]> {
  const targets = new Map<string, Target[]>()
  for (const { path, pieces } of files) {
    let fileOffset = 0
    for (const [name, offset, length] of pieces) {
      const wanted = targets.get(name) ?? []
      wanted.push({ path, fileOffset, offset, length })
      targets.set(name, wanted)
      fileOffset += length
    }
  }
  return targets
}

async function writeAt(path: string, content: Buffer, offset: number): Promise<void> {
  const handle = await openRegularFile(path, constants.O_WRONLY)
  try {
    let written = 0
    while (written < content.length) {
      const { bytesWritten } = await handle.write(content, written, content.length - written, offset + written)
      written += bytesWritten
    }
  } finally {
    await handle.close()
  }
}

/** Reads a file back from the disk and compares its hash; sets its mode and time, and makes it durable. */
async function proveFile(path: string, { sha256, size, mode, mtimeMs }: FileEntry): Promise<void> {
  const handle = await openRegularFile(path, constants.O_RDWR)
  try {
    const hash = createHash('sha256')
    const block = Buffer.allocUnsafe(Math.min(READ_BYTES, Math.max(size, 1)))
    let at = 0
    for (;;) {
      const { bytesRead } = await handle.read(block, 0, block.length, at)
      if (bytesRead === 0) break
      hash.update(block.subarray(0, bytesRead))
      at += bytesRead
    }
    if (at !== size || hash.digest('hex') !== sha256) throw backupBroken('FileDiffers')
    await handle.chmod(mode)
    const time = secondsOf(mtimeMs)
    await handle.utimes(time, time)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/**
 * Seconds as text: Node sets the current time for a negative number, and a date has no fractions of a millisecond. A
 * time beyond the exact numbers is restored as the nearest one; the system may refuse it otherwise.
 */
const secondsOf = (ms: number): string =>
  String(Math.min(Math.max(ms / 1000, Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER))
