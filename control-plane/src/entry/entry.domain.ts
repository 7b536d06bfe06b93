import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import type { Secret } from '@svc/shared/kit/secret.ts'
import type { Db } from '../db/database.ts'
import type { Guards } from '../http/guards.ts'
import type { RateLimit } from '../http/rate-limit.ts'
import { createEntrySessions } from './entry-sessions.ts'
import { entryRoutes } from './entry.routes.ts'
import { grantEntry, type GrantEntryDeps } from './grant-entry.ts'
import { repeat } from '@svc/shared/kit/repeat.ts'
import { createRevocationFeed } from './revocation-feed.ts'
import { createRotateSigningKeys, type RecordAuditIn } from './rotate-signing-keys.ts'
import { createSigningKeys } from './signing-keys.ts'
import { signingKeysRoutes } from './signing-keys.routes.ts'
import { createVaultOrigins } from './vault-origins.ts'
import { vaultOriginRoutes, type VaultOriginRouteDeps } from './vault-origin.routes.ts'
import { createVerifyEntry } from './verify-entry.ts'

type Deps = {
  db: Db
  clock: Clock
  log: Log
  /** Origin of the control plane; issuer of all assertions. */
  baseUrl: string
  vaultOriginTemplate: string
  /** Seals the signing keys in the database. */
  secret: Secret
  /** The previous secret, while secrets are being changed. */
  previousSecret?: Secret | undefined
}

type RouteDeps = Pick<GrantEntryDeps, 'findDaemonId' | 'listVaults' | 'reach'> &
  Pick<VaultOriginRouteDeps, 'recordAudit'> & { guards: Guards; rateLimit: RateLimit; rotateEveryDays: number }

const LOOK_MS = 3_600_000

export type Entry = ReturnType<typeof createEntry>

/** Admission to vaults: signing keys and assertions, entry sessions, vault origins, and what revokes them. */
export function createEntry({ db, clock, log, baseUrl, vaultOriginTemplate, secret, previousSecret }: Deps) {
  const signingKeys = createSigningKeys({ db, clock, secret, previous: previousSecret, issuer: baseUrl })
  const revocations = createRevocationFeed({ db, clock, log })
  const { onRevocation } = revocations
  onRevocation(({ kind }) => {
    if (kind === 'signing_keys') signingKeys.forget()
  })
  const sessions = createEntrySessions({ db, clock, log, onRevocation })
  const origins = createVaultOrigins({ db, clock, template: vaultOriginTemplate, onRevocation })

  return {
    signingKeys,
    revocations,
    sessions,
    origins,
    verify: createVerifyEntry({ signingKeys, clock, issuer: baseUrl }),
    routes: ({ guards, rateLimit, recordAudit, rotateEveryDays, ...deps }: RouteDeps) => [
      signingKeysRoutes({
        guards,
        signingKeys,
        rotate: createRotateSigningKeys({ db, clock, signingKeys, recordAudit }).rotate,
        rotateEveryDays,
      }),
      vaultOriginRoutes({ guards, db, clock, recordAudit }),
      entryRoutes({
        guards,
        rateLimit,
        grantEntry: grantEntry({ ...deps, sign: signingKeys.signer('entry'), originOf: origins.originOf }),
      }),
    ],
    /** Checks every hour whether keys are older than `days`, and replaces these. Returns the function that stops it. */
    rotateOnSchedule: (days: number, recordAudit: RecordAuditIn): (() => Promise<void>) => {
      const { rotateOlderThan } = createRotateSigningKeys({ db, clock, signingKeys, recordAudit })
      const task = async () => {
        const replaced = await rotateOlderThan(days)
        if (replaced.length > 0) log.info({ replaced, days }, 'signing keys were rotated')
      }
      const name = 'signing key rotation'
      const loop = repeat({ everyMs: LOOK_MS, task, first: 'at_once', clock, log, name })
      if (days > 0) loop.start()
      return loop.close
    },
    start: (): void => {
      revocations.start()
      sessions.start()
    },
    close: async (): Promise<void> => {
      await Promise.all([revocations.close(), sessions.close()])
    },
  }
}
