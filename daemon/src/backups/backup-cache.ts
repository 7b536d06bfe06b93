import { constants } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from '@svc/shared/kit/log.ts'
import { writeNewFile } from '../files/durable-file.ts'
import { errnoOf } from '../files/fs-failure.ts'
import { openRegularFile } from '../files/regular-file.ts'
import { decodeManifest, encodeManifest, type Manifest } from './backup-manifest.ts'

/** The manifest of the last backup, kept so that the next one reads only what has changed. */
export type BackupCache = { find(): Promise<Manifest | undefined>; replace(manifest: Manifest): Promise<void> }

const NAME = 'last-manifest'

/** Stored in a folder of the daemon. If it is lost or damaged, everything is read again. */
export function createBackupCache({ folder, log }: { folder: string; log: Log }): BackupCache {
  const path = join(folder, NAME)
  return {
    find: async () => {
      try {
        const file = await openRegularFile(path, constants.O_RDONLY)
        return await decodeManifest(wholeLines(file.createReadStream({ highWaterMark: 1024 * 1024 })))
      } catch (err) {
        if (errnoOf(err) !== 'ENOENT')
          log.warn({ err }, 'the last manifest cannot be read; the backup reads every file')
        return undefined
      }
    },
    replace: async (manifest) => {
      const draft = `${path}.new`
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await rm(draft, { force: true })
      try {
        await writeNewFile({ path: draft, content: encodeManifest(manifest) })
        await rename(draft, path)
      } catch (error) {
        // On a full volume it takes room from everything else.
        await rm(draft, { force: true }).catch(() => {})
        throw error
      }
    },
  }
}

async function* wholeLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer[] = []
  for await (const chunk of chunks) {
    const end = chunk.lastIndexOf(0x0a)
    if (end < 0) rest.push(chunk)
    else {
      yield Buffer.concat([...rest, chunk.subarray(0, end + 1)])
      rest = [chunk.subarray(end + 1)]
    }
  }
  if (rest.some(({ length }) => length > 0)) yield Buffer.concat(rest)
}
