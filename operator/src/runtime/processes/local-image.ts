import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import type { ImageVerdict } from '../../managed-daemon/observed.ts'

const LOCAL_IMAGE = /^local\/svcd@sha256:([0-9a-f]{64})$/

/** Main file of a built daemon, inside the folder of its image. */
export const BUNDLE_MAIN = 'svcd.mjs'

/** Reference of the image with that digest. */
export function localImageReference(digest: string): string {
  return `local/svcd@sha256:${digest}`
}

/** Digest that a reference names, or undefined: a path, a tag or another repository is no image here. */
function localImageDigest(image: string): string | undefined {
  return LOCAL_IMAGE.exec(image)?.[1]
}

/** Digest of a folder: its file names, sorted, with the digest of each one's content. */
export async function folderDigest(dir: string): Promise<string> {
  const whole = createHash('sha256')
  for (const path of await filesOf(dir)) {
    const name = relative(dir, path).split(sep).join('/')
    whole.update(`${name}\0${await fileDigest(path)}\n`)
  }
  return whole.digest('hex')
}

/** The folder of an image whose content matches its reference, or why it may not run. */
export async function openLocalImage(imagesDir: string, image: string): Promise<ImageVerdict & { dir?: string }> {
  const digest = localImageDigest(image)
  if (digest === undefined)
    return refused('ImageNotAllowed', `${image} is not of the form local/svcd@sha256:<64 hex digits>`)

  const dir = join(imagesDir, digest)
  const main = await lstat(join(dir, BUNDLE_MAIN)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
    throw error
  })
  if (!main?.isFile()) return refused('ImageNotFound', `${image} has not been imported`)
  if ((await folderDigest(dir)) !== digest) return refused('ImageNotAllowed', `${image} was changed after its import`)
  return { state: 'allowed', dir }
}

const refused = (reason: 'ImageNotAllowed' | 'ImageNotFound', message: string) =>
  ({ state: 'refused', reason, message }) as const

async function filesOf(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { withFileTypes: true, recursive: true })
  // A link could lead anywhere, so a folder with one has no digest.
  if (entries.some((entry) => !entry.isFile() && !entry.isDirectory()))
    throw new TypeError(`${dir} holds something that is neither file nor folder`)
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
}

async function fileDigest(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer)
  return hash.digest('hex')
}
