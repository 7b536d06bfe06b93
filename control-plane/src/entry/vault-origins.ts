import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Eventual } from '@svc/shared/kit/eventual.ts'
import { randomBase32 } from '@svc/shared/wire/new-id.ts'
import type { Db } from '../db/database.ts'
import { insertRevocation } from './insert-revocation.ts'
import { keepLookups } from './kept-lookups.ts'
import type { Revocation } from './revocation.ts'
import { createVaultHosts } from './vault-host.ts'
import { vaultOriginsRepository } from './vault-origins.repository.ts'

const LABEL_LENGTH = 20
const FRESH_MS = 3_000
const MAX_KEPT = 10_000

type Options = {
  db: Db
  clock: Clock
  template: string
  onRevocation: (listener: (revocation: Revocation) => void) => void
}
/** The organization that a Host serves. */
export type VaultOrigin = { orgId: string; origin: string }

/** One web origin for each organization's vaults: created at first use, matched exactly, replaced by a reset. */
export function createVaultOrigins({ db, clock, template, onRevocation }: Options) {
  const hosts = createVaultHosts(template)
  const origins = vaultOriginsRepository(db)
  const readAll = async (asked: string[]): Promise<Map<string, VaultOrigin>> => {
    const labels = asked.flatMap((host) => hosts.parse(host)?.label ?? [])
    const rows = labels.length === 0 ? [] : await origins.listByLabels(labels)
    const orgIds = new Map(rows.map(({ orgId, label, generation }) => [hosts.origin(label, generation), orgId]))
    return new Map(
      asked.flatMap((host) => {
        const parsed = hosts.parse(host)
        const origin = parsed && hosts.origin(parsed.label, parsed.generation)
        const orgId = origin && orgIds.get(origin)
        return orgId ? [[host, { orgId, origin }]] : []
      }),
    )
  }
  const lookups = keepLookups({ readAll, freshMs: FRESH_MS, maxKept: MAX_KEPT, clock })
  onRevocation(({ kind }) => {
    if (kind === 'vault_origin' || kind === 'organization') lookups.forgetAll()
  })

  return {
    secure: hosts.secure,
    /** True for a Host in the form of the template, whether or not anybody has that label. */
    matches: (host: string): boolean => lookups.has(host) || hosts.matches(host),

    /**
     * The organization of a Host header, or undefined when there is none. Synchronous when it is cached. Anybody can
     * send any Host, so one that cannot be ours is not cached.
     */
    findByHost: (host: string): Eventual<VaultOrigin | undefined> =>
      lookups.has(host) || hosts.parse(host) !== undefined ? lookups.find(host) : undefined,

    /** The web origin of an organization's vaults. */
    originOf: async (orgId: string): Promise<string> => {
      const row = await origins.find(orgId)
      if (row !== undefined) return hosts.origin(row.label, row.generation)
      await origins.insert(orgId, randomBase32(LABEL_LENGTH))
      const made = await origins.find(orgId)
      if (made === undefined) throw new Error('a vault origin was not stored')
      return hosts.origin(made.label, made.generation)
    },
  }
}

export type VaultOrigins = ReturnType<typeof createVaultOrigins>

/** Gives an organization a new vault origin, which makes caches, workers and entries of the old one useless. */
export async function resetVaultOrigin(
  trx: Db,
  { orgId, clock }: { orgId: string; clock: Pick<Clock, 'now'> },
): Promise<void> {
  await vaultOriginsRepository(trx).raiseGeneration(orgId)
  await insertRevocation(trx, { kind: 'organization', subject: orgId, clock })
  await insertRevocation(trx, { kind: 'vault_origin', subject: orgId, clock })
}
