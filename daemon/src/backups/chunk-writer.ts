import type { ChunkSeal } from './sealed-chunk.ts'
import type { Piece } from './backup-manifest.ts'

/** Receives the sealed chunks that are not stored yet. */
export type StoreChunk = (name: string, sealed: Buffer) => Promise<void>

type Deps = {
  seal: ChunkSeal
  /** Names of stored chunks; written ones are added. */
  stored: Set<string>
  store: StoreChunk
}

/** A small file shares its chunk with the files after it; its piece has no name until the chunk is full. */
export type OpenPiece = { chunk: string | undefined; offset: number; length: number }

const PACK_BYTES = 2 * 1024 * 1024
/**
 * A pack also ends after a file whose hash has these bits clear. The boundaries then depend on the content, so one
 * change moves only a few of them.
 */
const ENDS_PACK = 0x3f
const LEAST_PACK_BYTES = 256 * 1024

/**
 * Creates chunks: small files are packed together, blocks of large ones are chunks of their own. A stored chunk is not
 * sent again.
 */
export function createChunkWriter({ seal, stored, store }: Deps) {
  let packed: Buffer[] = []
  let packedBytes = 0
  let waiting: OpenPiece[] = []

  const write = async (content: Buffer): Promise<string> => {
    const name = seal.nameOf(content)
    if (!stored.has(name)) {
      await store(name, await seal.seal(content, `chunk:${name}`))
      stored.add(name)
    }
    return name
  }

  const flush = async (): Promise<void> => {
    if (packedBytes === 0) return
    const content = Buffer.concat(packed)
    const pieces = waiting
    packed = []
    packedBytes = 0
    waiting = []
    const name = await write(content)
    for (const piece of pieces) piece.chunk = name
  }

  return {
    /** Adds a small file to the pack. */
    pack: async (content: Buffer, sha256: string): Promise<OpenPiece> => {
      const piece: OpenPiece = { chunk: undefined, offset: packedBytes, length: content.length }
      packed.push(content)
      packedBytes += content.length
      waiting.push(piece)
      const ends = (Number.parseInt(sha256.slice(0, 2), 16) & ENDS_PACK) === 0
      if (packedBytes >= PACK_BYTES || (ends && packedBytes >= LEAST_PACK_BYTES)) await flush()
      return piece
    },
    /** Writes one block of a large file. */
    block: async (content: Buffer): Promise<OpenPiece> => ({
      chunk: await write(content),
      offset: 0,
      length: content.length,
    }),
    /** Writes the unfinished pack. All pieces have names afterwards. */
    flush,
  }
}

export type ChunkWriter = ReturnType<typeof createChunkWriter>

/** The piece as the manifest names it. */
export function closedPiece({ chunk, offset, length }: OpenPiece): Piece {
  if (chunk === undefined) throw new Error('a piece of a backup has no chunk: the pack was not flushed')
  return [chunk, offset, length]
}
