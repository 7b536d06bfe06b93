import { randomBytes } from 'node:crypto'
import { open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { z } from 'zod'

const DRAFT = /\.json\.[0-9a-f]{12}$/

/** A file of ours has content that we did not write. */
export class UnreadableFile extends Error {
  constructor(path: string, cause: unknown) {
    super(`${path} cannot be read: it is damaged or from a newer version`, { cause })
    this.name = 'UnreadableFile'
  }
}

/** Reads a small JSON file; undefined only when there is none. */
export async function readSmallFile<T>(path: string, schema: z.ZodType<T>): Promise<T | undefined> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  }
  try {
    return schema.parse(JSON.parse(text))
  } catch (cause) {
    throw new UnreadableFile(path, cause)
  }
}

/** Replaces a small file atomically, readable by its owner only. Resolves once it is durable. */
export async function writeSmallFile(path: string, value: unknown): Promise<void> {
  const draft = `${path}.${randomBytes(6).toString('hex')}`
  try {
    const file = await open(draft, 'wx', 0o600)
    await file.writeFile(`${JSON.stringify(value, null, 2)}\n`)
    await file.sync()
    await file.close()
    await rename(draft, path)
  } finally {
    await rm(draft, { force: true })
  }
  await syncFolder(dirname(path))
}

/** Removes temporary files of killed processes. Nobody else may write in the folder. */
export async function removeDrafts(folder: string): Promise<void> {
  const drafts = (await readdir(folder)).filter((name) => DRAFT.test(name))
  for (const name of drafts) await rm(join(folder, name), { force: true })
}

/** Makes the names in a folder durable. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
