import { mkdir, rm, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import zlib from 'node:zlib'
import type { ZipFile } from 'yauzl'
import { fail, isFailure } from '@svc/shared/wire/errors.ts'
import type { Actor } from '../entry/actor.ts'
import { makeFolders, ownerOfNew, syncFolder, writeNewFile } from '../files/durable-file.ts'
import { withFileFailures } from '../files/fs-failure.ts'
import type { FileRoot } from '../files/file-root.ts'
import type { HomeLayout } from '../home/home-layout.ts'
import { newUpload } from '../home/import-upload.ts'
import type { VaultRegistry } from '../vaults/vault-registry.ts'
import { archiveContents, openEntry, type ArchiveContents, type ArchiveFile } from './zip-entries.ts'

/** `left` aborts when nobody waits for the vault any more. */
type Wish = { slug: string; displayName: string; body: AsyncIterable<Buffer>; by: Actor; left: AbortSignal }
type Imported = {
  vault: { id: string; displayName: string }
  files: number
  bytes: number
  skipped: { count: number; names: string[] }
}

/** Creates a vault from a zip. A failed import leaves nothing behind. */
export type ImportVault = (wish: Wish) => Promise<Imported>

type Deps = {
  registry: VaultRegistry
  layout: HomeLayout
  /** The volume of the vaults. */
  home: Pick<FileRoot, 'makeRoom'>
  maxBytes: number
}

const MAX_ENTRIES = 500_000
const SHOWN = 100

export function createImportVault({ registry, layout, home, maxBytes }: Deps): ImportVault {
  return ({ slug, displayName, body, by, left }) =>
    withFileFailures(async () => {
      const upload = newUpload(layout)
      try {
        await receive(upload, body)
        const zip = await openZip(upload)
        try {
          const contents = await withZipFailures(() =>
            archiveContents(zip.eachEntry(), { maxBytes, maxEntries: MAX_ENTRIES }),
          )
          await home.makeRoom(contents.bytes)
          const wish = { slug, displayName, by, tool: 'import_vault' } as const
          const { id } = await registry.create(wish, (draft, stop) =>
            unpack({ zip, contents, draft, home, signal: AbortSignal.any([stop, left]) }),
          )
          const { files, bytes, skipped } = contents
          const names = skipped.slice(0, SHOWN)
          return { vault: { id, displayName }, files: files.length, bytes, skipped: { count: skipped.length, names } }
        } finally {
          zip.close()
        }
      } finally {
        await rm(upload, { force: true })
      }
    })

  /** A zip is read from its end, so it must be complete on disk. */
  async function receive(path: string, body: AsyncIterable<Buffer>): Promise<void> {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    await writeNewFile({ path, content: limited(body) })
  }

  async function* limited(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let received = 0
    for await (const chunk of body) {
      received += chunk.length
      if (received > maxBytes) throw fail('payload_too_large', { maxBytes })
      await home.makeRoom(chunk.length)
      yield chunk
    }
  }
}

async function openZip(path: string): Promise<ZipFile> {
  const { openPromise } = await import('yauzl')
  return withZipFailures(() => openPromise(path, { strictFileNames: true, autoClose: false }))
}

type Unpacking = {
  zip: ZipFile
  contents: ArchiveContents
  draft: string
  home: Deps['home']
  signal: AbortSignal
}

async function unpack({ zip, contents: { files, folders }, draft, home, signal }: Unpacking): Promise<void> {
  const made = new Set<string>([draft])
  for (const folder of folders) await makeFolder(join(draft, folder), made)
  for (const { path, entry } of files) {
    const target = join(draft, path)
    // What arrives meanwhile takes room too, for example another archive.
    await home.makeRoom(entry.uncompressedSize)
    await makeFolder(dirname(target), made)
    await writeEntry(zip, { path, entry }, { target, signal })
  }
  for (const folder of made) {
    signal.throwIfAborted()
    await syncFolder(folder)
  }
}

async function makeFolder(path: string, made: Set<string>): Promise<void> {
  if (made.has(path)) return
  await makeFolder(dirname(path), made)
  await makeFolders(path)
  made.add(path)
}

type Writing = { target: string; signal: AbortSignal }

/** Compares sizes and checksums while reading: an entry cannot be larger than the archive's directory says. */
async function writeEntry(zip: ZipFile, file: ArchiveFile, { target, signal }: Writing): Promise<void> {
  signal.throwIfAborted()
  const { entry } = file
  await withZipFailures(async () => {
    const content = await openEntry(zip, entry)
    try {
      await writeNewFile({
        path: target,
        content: checked(content, file, signal),
        mode: 0o644,
        owner: await ownerOfNew(target),
      })
    } finally {
      content.destroy()
    }
  })
  const modified = entry.getLastModDate()
  if (!Number.isNaN(modified.getTime())) await utimes(target, modified, modified)
}

async function* checked(
  content: AsyncIterable<Buffer>,
  { path, entry }: ArchiveFile,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  let checksum = 0
  for await (const chunk of content) {
    signal.throwIfAborted()
    checksum = zlib.crc32(chunk, checksum)
    yield chunk
  }
  if (checksum !== entry.crc32) throw new Error(`${path} has another checksum`)
}

/** Reports any error of the zip library as a problem of the archive. */
async function withZipFailures<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (isFailure(error) || (error as NodeJS.ErrnoException).syscall !== undefined) throw error
    const reason = (error as Error).message.slice(0, 300).toWellFormed()
    throw fail('invalid_request', [{ path: 'body', message: `is not a readable zip: ${reason}` }], {
      cause: error,
    })
  }
}
