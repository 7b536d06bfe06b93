import { randomBytes } from 'node:crypto'
import { cp, mkdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { folderDigest, localImageReference } from '@svc/operator/src/runtime/processes/local-image.ts'

type Options = {
  /** A built daemon, as `npm run build` leaves it. */
  bundleDir: string
  imagesDir: string
}

/** Imports a built daemon as an image and answers its reference. An image that is there already is left alone. */
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
      // Somebody else imported the same one meanwhile.
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
    })
  } finally {
    await rm(copy, { recursive: true, force: true })
  }
  return localImageReference(digest)
}
