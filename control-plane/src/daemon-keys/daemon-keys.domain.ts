import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Db } from '../db/database.ts'
import type { Guards } from '../http/guards.ts'
import type { RateLimit } from '../http/rate-limit.ts'
import { acceptHostedKey } from './accept-hosted-key.ts'
import { daemonKeysRepository } from './daemon-keys.repository.ts'
import { daemonKeysRoutes, type RecordAudit } from './daemon-keys.routes.ts'
import { issueDaemonKey, revokeDaemonKeys } from './rotate-daemon-key.ts'

type Deps = { db: Db; clock: Clock; relayUrl: string }
type RouteDeps = { guards: Guards; rateLimit: RateLimit; recordAudit: RecordAudit }

/** Daemons of organizations and the hashes of their keys. Functions with `trx` run in the caller's transaction. */
export function createDaemonKeys({ db, clock, relayUrl }: Deps) {
  const keys = daemonKeysRepository(db, clock)
  const relayUrlOf = (orgId: string) => `${relayUrl}/t/${orgId}`

  return {
    relayUrlOf,
    issue: (trx: Db, orgId: string) => issueDaemonKey(trx, { orgId, clock }),
    revokeAll: (trx: Db, orgId: string) => revokeDaemonKeys(trx, { orgId, clock }),
    hasLiveKey: async (trx: Db, orgId: string): Promise<boolean> =>
      (await daemonKeysRepository(trx, clock).findCurrentKey(orgId)) !== undefined,
    /** Stores the hash of a key that a hosted daemon's resource reports. Repeating it changes nothing. */
    acceptHosted: (key: { orgId: string; generation: number; hash: string }) =>
      db.transaction().execute((trx) => acceptHostedKey(trx, { ...key, clock })),
    /** Generation of the newest accepted key of a hosted daemon; 0 if there is none. */
    findGeneration: async (orgId: string): Promise<number> => (await keys.findGenerationOf(orgId)) ?? 0,
    findDaemonId: async (orgId: string): Promise<string | undefined> => (await keys.findDaemon(orgId))?.id,
    routes: (deps: RouteDeps) => [daemonKeysRoutes({ ...deps, db, clock, relayUrlOf })],
  }
}

export type DaemonKeys = ReturnType<typeof createDaemonKeys>
