import { randomBytes } from 'node:crypto'
import { cp, mkdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { folderDigest, localImageReference } from '@svc/operator/src/runtime/processes/local-image.ts'

type Options = {
  /** A daemon as built by `npm run build`. */
  bundleDir: string
  imagesDir: string
}

/** Imports a built daemon as an image and returns its reference. An existing image is left alone. */
export async function importLocalImage({ bundleDir, imagesDir }: Options): Promise<string> {
  const digest = await folderDigest(bundleDir)
  const target = join(imagesDir, digest)
  if (await stat(target).catch(() => undefined)) return localImageReference(digest)

  await mkdir(imagesDir, { recursive: true })
  const copy = join(imagesDir, `.import-${randomBytes(8).toString('hex')}`)
  try {
    await cp(bundleDir, copy, { recursive: true })
    const copied = await folderDigest(copy)
    if (copied !== digest) throw new Error(`${bundleDir} changed while it was imported`)
    await rename(copy, target).catch(async (error: NodeJS.ErrnoException) => {
      // Another process has imported the same image meanwhile.
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
    })
  } finally {
    await rm(copy, { recursive: true, force: true })
  }
  return localImageReference(digest)
}
