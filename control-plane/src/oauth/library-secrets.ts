import { createHmac } from 'node:crypto'
import type { Secret } from '@svc/shared/kit/secret.ts'

const VERSION_BYTES = 6

/**
 * The secrets of the platform as the library takes several: the first seals, the others open. A version is derived from
 * its secret, so that replicas which change their secret one after another mean the same secret by it.
 */
export const librarySecrets = (secrets: readonly (Secret | undefined)[]): { version: number; value: string }[] =>
  [...new Set(secrets.flatMap((secret) => (secret === undefined ? [] : [secret.reveal()])))].map((value) => ({
    version: createHmac('sha256', value).update('version of the secret').digest().readUIntBE(0, VERSION_BYTES),
    value,
  }))
