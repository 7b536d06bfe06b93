import { randomBytes } from 'node:crypto'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { HomeLayout } from './home-layout.ts'

const UPLOAD = /^import-[0-9a-f]{16}$/

type Layout = Pick<HomeLayout, 'tmp'>

/** A new path for what an import receives. */
export const newUpload = ({ tmp }: Layout): string => join(tmp, `import-${randomBytes(8).toString('hex')}`)

/**
 * Removes what imports had received when their daemon was killed. No daemon may be at work in the home. What cannot be
 * removed stays: it must not end the start.
 */
export async function clearUploads({ tmp }: Layout): Promise<void> {
  for (const name of await readdir(tmp).catch(() => []))
    if (UPLOAD.test(name)) await rm(join(tmp, name), { force: true }).catch(() => {})
}
