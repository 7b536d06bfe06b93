import { crc32 } from 'node:zlib'
import { z } from 'zod'
import type { Change } from './pending-commits.ts'
import { PackedAuthor, packLines, PackedLines, unpackLines } from './written-lines.ts'

/**
 * An entry of the queue file: a change, or a record that the changes with these ids were passed to git as one batch.
 */
export type QueueEntry = { kind: 'change'; change: Change } | { kind: 'batch'; batch: string; ids: readonly number[] }

const Header = z.discriminatedUnion('entry', [
  z.object({
    entry: z.literal('change'),
    id: z.int().nonnegative(),
    kind: z.enum(['created', 'changed', 'deleted', 'moved']),
    path: z.string().min(1),
    blob: z.string().optional(),
    from: z.string().optional(),
    deletion: z.string().optional(),
    move: z.object({ id: z.string(), from: z.string(), to: z.string() }).optional(),
    moved: z
      .object({
        kind: z.enum(['attachment', 'folder']),
        from: z.string().optional(),
        to: z.string().optional(),
        deletion: z.string().optional(),
        is: z.object({ ino: z.number(), size: z.number(), mtimeMs: z.number() }),
      })
      .optional(),
    restored: z.object({ from: z.string(), deletion: z.string() }).optional(),
    found: z.literal(true).optional(),
    written: PackedLines.optional(),
    author: PackedAuthor.omit({ atMs: true }),
    atMs: z.number(),
  }),
  z.object({ entry: z.literal('batch'), batch: z.string(), ids: z.array(z.int().nonnegative()) }),
])

// Length of the header, length of the note plus one (0: the note is gone), checksum of both.
const FIXED = 12

/** An entry as bytes of the queue file. */
export function frameOf(entry: QueueEntry): Buffer {
  const body = entry.kind === 'change' ? entry.change.bytes : undefined
  const header = Buffer.from(JSON.stringify(headerOf(entry)))
  const fixed = Buffer.alloc(FIXED)
  fixed.writeUInt32LE(header.length, 0)
  fixed.writeUInt32LE(body === undefined ? 0 : body.length + 1, 4)
  fixed.writeUInt32LE(checksum(fixed, header, body), 8)
  return Buffer.concat([fixed, header, ...(body === undefined ? [] : [body])])
}

function headerOf(entry: QueueEntry): z.infer<typeof Header> {
  if (entry.kind === 'batch') return { entry: 'batch', batch: entry.batch, ids: [...entry.ids] }
  const { bytes: _bytes, written, ...fields } = entry.change
  return { entry: 'change', ...fields, ...(written && { written: packLines(written) }) }
}

/** The entries of a queue file up to the first torn or damaged one, and the length of the intact part. */
export function parseFrames(file: Buffer): { entries: QueueEntry[]; wholeBytes: number } {
  const entries: QueueEntry[] = []
  let at = 0
  while (at + FIXED <= file.length) {
    const headerEnd = at + FIXED + file.readUInt32LE(at)
    const bodyLength = file.readUInt32LE(at + 4)
    const end = headerEnd + Math.max(0, bodyLength - 1)
    if (end > file.length) break
    const header = file.subarray(at + FIXED, headerEnd)
    const body = bodyLength === 0 ? undefined : file.subarray(headerEnd, end)
    if (checksum(file.subarray(at, at + FIXED), header, body) !== file.readUInt32LE(at + 8)) break
    const parsed = Header.safeParse(JSON.parse(header.toString()))
    if (!parsed.success) break
    entries.push(entryOf(parsed.data, body))
    at = end
  }
  return { entries, wholeBytes: at }
}

function entryOf(header: z.infer<typeof Header>, bytes: Buffer | undefined): QueueEntry {
  if (header.entry === 'batch') return { kind: 'batch', batch: header.batch, ids: header.ids }
  const { entry: _entry, written, ...change } = header
  return { kind: 'change', change: { ...change, bytes, ...(written && { written: unpackLines(written) }) } }
}

const checksum = (fixed: Buffer, header: Buffer, body: Buffer | undefined): number =>
  crc32(body ?? '', crc32(header, crc32(fixed.subarray(0, 8))))
