import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { Secret } from '@svc/shared/kit/secret.ts'
import { idPrefixes, OrgId } from '@svc/shared/wire/ids.ts'
import { newId } from '@svc/shared/wire/new-id.ts'
import { readSmallFile, writeSmallFile } from './installation/small-file.ts'

const Stored = z.object({
  authSecret: z.string().min(32),
  operatorOrg: OrgId,
  backupKey: z.string().min(32).optional(),
})

/** Secrets that an installation creates once and keeps. */
export type PlatformSecrets = {
  authSecret: Secret
  operatorOrg: string
  /** Seals the backups of managed daemons; created when it is first needed. */
  backupKey?: Secret | undefined
}

/** Reads the secrets in a file; undefined only when there is none. */
export async function readSecrets(path: string): Promise<PlatformSecrets | undefined> {
  const stored = await readSmallFile(path, Stored)
  if (stored === undefined) return undefined
  const { authSecret, operatorOrg, backupKey } = stored
  return {
    authSecret: new Secret(authSecret),
    operatorOrg,
    ...(backupKey !== undefined && { backupKey: new Secret(backupKey) }),
  }
}

/** Stores secrets in a file that only its owner can read. */
export const writeSecrets = (path: string, { authSecret, operatorOrg, backupKey }: PlatformSecrets) =>
  writeSmallFile(path, { authSecret: authSecret.reveal(), operatorOrg, backupKey: backupKey?.reveal() })

/** New secrets of a new installation. */
export const makeSecrets = (): PlatformSecrets => ({
  authSecret: newSecret(),
  operatorOrg: newId(idPrefixes.organization),
})

const newSecret = () => new Secret(randomBytes(32).toString('base64url'))

/** The secrets, with given ones replaced, and with a key for backups. */
export const completeSecrets = (
  kept: PlatformSecrets,
  given: { authSecret: Secret | undefined; backupKey: Secret | undefined },
): PlatformSecrets & { backupKey: Secret } => ({
  authSecret: given.authSecret ?? kept.authSecret,
  operatorOrg: kept.operatorOrg,
  backupKey: given.backupKey ?? kept.backupKey ?? newSecret(),
})

/** True when both are the secrets of the same installation. */
export const sameSecrets = (one: PlatformSecrets, other: PlatformSecrets) =>
  one.authSecret.reveal() === other.authSecret.reveal() &&
  one.operatorOrg === other.operatorOrg &&
  one.backupKey?.reveal() === other.backupKey?.reveal()
