import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Secret } from '@svc/shared/kit/secret.ts'
import { relayKeyFiles } from '@svc/shared/wire/daemon/daemon-status.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { errnoOf } from '../files/fs-failure.ts'
import { readNamedFile } from '../files/regular-file.ts'

/** Where the daemon key comes from: a text, or a file or folder that is polled. */
export type RelayKeySource = { kind: 'text'; token: Secret } | { kind: 'file'; path: string }

/** A daemon key, with its generation if the source knows it. */
export type RelayKey = { token: Secret; generation: number | undefined }

/**
 * Reads the key now. A file that is missing, empty or not readable for us is a temporary failure: a mount can appear
 * late.
 */
export async function readRelayKey(source: RelayKeySource): Promise<RelayKey> {
  if (source.kind === 'text') return { token: source.token, generation: undefined }
  try {
    const folder = (await stat(source.path)).isDirectory()
    const text = await readNamedFile(folder ? join(source.path, relayKeyFiles.token) : source.path)
    const token = text.trim()
    if (token === '') throw unusable('is empty')
    return { token: new Secret(token), generation: folder ? await readGeneration(source.path) : undefined }
  } catch (error) {
    const reason = errnoOf(error)
    if (reason === 'ENOENT') throw unusable(`does not exist: ${source.path}`)
    if (reason === 'EACCES') throw unusable(`cannot be read by user ${process.geteuid?.()}: ${source.path}`)
    throw error
  }
}

const unusable = (message: string) => fail('invalid_request', [{ path: 'SVC_RELAY_TOKEN_FILE', message }])

/** A failure of `readRelayKey` in words. */
export function whyUnreadable(error: unknown): string {
  const { details, message } = error as { details?: unknown; message: string }
  return Array.isArray(details) ? `${details[0].path} ${details[0].message}` : message
}

/** True when both are the same key of the same generation. */
export function sameRelayKey(left: RelayKey, right: RelayKey): boolean {
  return left.token.reveal() === right.token.reveal() && left.generation === right.generation
}

async function readGeneration(folder: string): Promise<number | undefined> {
  const text = await readNamedFile(join(folder, relayKeyFiles.generation)).catch(() => '')
  return /^\d{1,9}$/.test(text.trim()) ? Number(text.trim()) : undefined
}
