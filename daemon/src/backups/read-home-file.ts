import { createHash } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { errnoOf } from '../files/fs-failure.ts'
import { NotRegularFile, openRegularFile } from '../files/regular-file.ts'
import type { ChunkWriter, OpenPiece } from './chunk-writer.ts'

/**
 * The content read from a file. It is as of one time unless `isTorn`: then the file kept changing, and `stat` is its
 * state at the end of reading.
 */
export type ReadFile = { stat: Stats; sha256: string; size: number; pieces: OpenPiece[]; isTorn: boolean }

/** Finds the pieces of a content that the backup already contains, by hash. */
export type FindContent = (sha256: string, size: number) => OpenPiece[] | undefined

type Deps = { writer: ChunkWriter; findContent: FindContent; signal: AbortSignal }

const SMALL_BYTES = 512 * 1024
const BLOCK_BYTES = 2 * 1024 * 1024
const ATTEMPTS = 3

/** Reads a file into chunks; reads it again if it changes meanwhile. Undefined if it is gone or no longer a file. */
export async function readHomeFile(path: string, deps: Deps): Promise<ReadFile | undefined> {
  for (let attempt = 1; ; attempt++) {
    deps.signal.throwIfAborted()
    const handle = await openRegularFile(path, constants.O_RDONLY).catch((error: unknown) => {
      if (errnoOf(error) === 'ENOENT' || error instanceof NotRegularFile) return undefined
      throw error
    })
    if (handle === undefined) return undefined
    try {
      const stat = await handle.stat()
      const read = stat.size <= SMALL_BYTES ? await readSmall(handle, stat, deps) : await readLarge(handle, stat, deps)
      const after = await handle.stat()
      const isTorn = !isSame(stat, after) || read.size !== stat.size
      if (!isTorn || attempt === ATTEMPTS) return { ...read, stat, isTorn }
    } finally {
      await handle.close()
    }
  }
}

/** True if nobody has written to the file between the two stats. */
export const isSame = (a: Stats, b: Stats): boolean =>
  a.ino === b.ino && a.size === b.size && a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs

async function readSmall(handle: FileHandle, { size }: Stats, { writer, findContent }: Deps) {
  const content = await readBlock(handle, { at: 0, length: size })
  const sha256 = createHash('sha256').update(content).digest('hex')
  const known = content.length === 0 ? [] : findContent(sha256, content.length)
  return { sha256, size: content.length, pieces: known ?? [await writer.pack(content, sha256)] }
}

// Reads at most the size that the file had when it was opened: a log keeps growing.
async function readLarge(handle: FileHandle, { size: wanted }: Stats, { writer, signal }: Deps) {
  const hash = createHash('sha256')
  const pieces: OpenPiece[] = []
  let size = 0
  while (size < wanted) {
    signal.throwIfAborted()
    const block = await readBlock(handle, { at: size, length: Math.min(BLOCK_BYTES, wanted - size) })
    if (block.length === 0) break
    hash.update(block)
    pieces.push(await writer.block(block))
    size += block.length
  }
  return { sha256: hash.digest('hex'), size, pieces }
}

async function readBlock(handle: FileHandle, { at, length }: { at: number; length: number }): Promise<Buffer> {
  const block = Buffer.allocUnsafe(length)
  let read = 0
  while (read < length) {
    const { bytesRead } = await handle.read(block, read, length - read, at + read)
    if (bytesRead === 0) break
    read += bytesRead
  }
  return block.subarray(0, read)
}
