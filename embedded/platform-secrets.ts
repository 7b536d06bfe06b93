import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { Secret } from '@svc/shared/kit/secret.ts'
import { idPrefixes, OrgId } from '@svc/shared/wire/ids.ts'
import { newId } from '@svc/shared/wire/new-id.ts'
import { readSmallFile, writeSmallFile } from './installation/small-file.ts'

const Stored = z.object({ authSecret: z.string().min(32), operatorOrg: OrgId })

/** What an installation makes once for itself and keeps. */
export type PlatformSecrets = { authSecret: Secret; operatorOrg: string }

/** Reads the secrets in a file; undefined only when there is none. */
export async function readSecrets(path: string): Promise<PlatformSecrets | undefined> {
  const stored = await readSmallFile(path, Stored)
  return stored && { authSecret: new Secret(stored.authSecret), operatorOrg: stored.operatorOrg }
}

/** Keeps secrets in a file for its owner alone. */
export const writeSecrets = (path: string, { authSecret, operatorOrg }: PlatformSecrets) =>
  writeSmallFile(path, { authSecret: authSecret.reveal(), operatorOrg })

/** New secrets of a new installation. */
export const makeSecrets = (): PlatformSecrets => ({
  authSecret: new Secret(randomBytes(32).toString('base64url')),
  operatorOrg: newId(idPrefixes.organization),
})

/** True when both are the secrets of the same installation. */
export const sameSecrets = (one: PlatformSecrets, other: PlatformSecrets) =>
  one.authSecret.reveal() === other.authSecret.reveal() && one.operatorOrg === other.operatorOrg
