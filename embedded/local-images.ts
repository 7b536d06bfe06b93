import { randomBytes } from 'node:crypto'
import { cp, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { folderDigest, localImageReference } from '@svc/operator/src/runtime/processes/local-image.ts'
import { syncFolder } from './installation/small-file.ts'
import { syncTree } from './installation/sync-tree.ts'

const DRAFT = /^\.import-[0-9a-f]{16}$/

type Options = {
  /** A daemon as built by `npm run build`. */
  bundleDir: string
  imagesDir: string
}

/**
 * Imports a built daemon as an image and returns its reference. An existing image is left alone if its content is that
 * of the bundle; a power cut may have damaged one that an older version imported.
 */
export async function importLocalImage({ bundleDir, imagesDir }: Options): Promise<string> {
  const digest = await folderDigest(bundleDir)
  const target = join(imagesDir, digest)
  const isWhole = async () => (await folderDigest(target).catch(() => undefined)) === digest
  if (await isWhole()) return localImageReference(digest)

  await mkdir(imagesDir, { recursive: true })
  const [copy, damaged] = [newDraft(imagesDir), newDraft(imagesDir)]
  try {
    await cp(bundleDir, copy, { recursive: true })
    const copied = await folderDigest(copy)
    if (copied !== digest) throw new Error(`${bundleDir} changed while it was imported`)
    await syncTree(copy)
    if (!(await isWhole())) await rename(target, damaged).catch(unless('ENOENT'))
    await rename(copy, target).catch(unless('ENOTEMPTY', 'EEXIST')) // another process has imported it meanwhile
    await syncFolder(imagesDir)
  } finally {
    for (const path of [copy, damaged]) await rm(path, { recursive: true, force: true })
  }
  return localImageReference(digest)
}

/** Rethrows any other failure. */
const unless =
  (...codes: string[]) =>
  (error: NodeJS.ErrnoException) => {
    if (!codes.includes(error.code ?? '')) throw error
  }

const newDraft = (imagesDir: string) => join(imagesDir, `.import-${randomBytes(8).toString('hex')}`)

/** Removes what killed imports left. No other process may import at the same time. */
export async function removeKilledImports(imagesDir: string): Promise<void> {
  const names = await readdir(imagesDir).catch(unless('ENOENT'))
  for (const name of names ?? []) if (DRAFT.test(name)) await rm(join(imagesDir, name), { recursive: true })
}
