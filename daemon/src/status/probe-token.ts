import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { PROBE_TOKEN_FILE } from '@svc/shared/wire/daemon/daemon-status.ts'
import { readNamedFile } from '../files/regular-file.ts'
import type { RelayKeySource } from '../relay/relay-key.ts'

/**
 * Reads the token of the status listener from a file beside a mounted relay key. Reads it on each use: it may be
 * replaced.
 */
export function createProbeToken(key: RelayKeySource | undefined): () => Promise<string | undefined> {
  return async () => {
    if (key?.kind !== 'file') return undefined
    try {
      const isFolder = (await stat(key.path)).isDirectory()
      const text = isFolder ? await readNamedFile(join(key.path, PROBE_TOKEN_FILE)) : ''
      return text.trim() === '' ? undefined : text.trim()
    } catch {
      return undefined
    }
  }
}
