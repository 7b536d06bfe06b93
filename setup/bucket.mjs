// Builds the S3 storage of the backup tests before they run: a cold build takes minutes and both processors.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { root } from './ensure.mjs'

const ADVICE = 'Install Go 1.26 or later: backups are tested with versitygw, which is built from its module.'

/** Undefined when the storage is installed; otherwise the reason why it is not. */
export async function findMissingBucket() {
  const child = spawn(join(root, 'test/s3/build.sh'), { stdio: ['ignore', 'ignore', 'inherit'] })
  try {
    const [code] = await once(child, 'close')
    return code === 0 ? undefined : `versitygw could not be built (exit ${code}). ${ADVICE}`
  } catch (error) {
    return `versitygw could not be built (${error.message}). ${ADVICE}`
  }
}
