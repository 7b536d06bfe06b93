import type { z } from 'zod'
import type { Integration } from '@svc/shared/wire/agents.api.ts'
import { isBlocked, standingOf, type RuleFacts } from './decide-access.ts'
import { hostOf, keysOf } from './integration-keys.ts'
import type { IntegrationRow } from './integrations.repository.ts'

const isoOf = (time: Date | null) => time?.toISOString() ?? null

type Known = {
  rules: RuleFacts[]
  /** The undone changes of each kind of client, by key; undefined when they are not known. */
  undone: ReadonlyMap<string, number> | undefined
  now: Date
}

/** An integration as shown to the admins of its organization: people, vaults and numbers, never notes. */
export function describeIntegration(row: IntegrationRow, { rules, undone, now }: Known): z.input<typeof Integration> {
  const facts = { key: row.key, state: row.state, canWrite: row.can_write, expiresAt: row.expires_at }
  return {
    id: row.id,
    name: row.name,
    key: row.key,
    host: hostOf(row.key),
    state: isBlocked({ keys: keysOf(row.key), rules }) ? 'blocked' : standingOf(facts, now),
    access: row.can_write ? 'write' : 'read',
    requestedBy: row.asker_name,
    requestedAt: isoOf(row.requested_at),
    approvedBy: row.approver_name,
    approvedAt: isoOf(row.approved_at),
    expiresAt: isoOf(row.expires_at),
    lastUsedAt: isoOf(row.last_used_at),
    reads: row.reads,
    writes: row.writes,
    undone: undone === undefined ? null : (undone.get(row.key) ?? 0),
    people: row.people.map((person) => {
      const here = person.vaults.filter(({ orgId }) => orgId === row.org_id)
      const all = here.some(({ vaultId }) => vaultId === null)
      return {
        name: person.name,
        access: person.can_write && row.can_write ? ('write' as const) : ('read' as const),
        vaults: all ? null : here.map(({ vaultId }) => String(vaultId)),
        // The database formats times in a JSON value by its own rule.
        lastUsedAt: person.last_used_at === null ? null : new Date(person.last_used_at).toISOString(),
      }
    }),
  }
}
