import type { UndoneOfAgent } from '../db/tables/agents.tables.ts'
import { keysOf } from './integration-keys.ts'

/** One entry for each agent, with its changes in all vaults. Pure. */
export function sumByAgent(all: readonly UndoneOfAgent[]): UndoneOfAgent[] {
  const sums = new Map<string, UndoneOfAgent>()
  for (const one of all) {
    const key = JSON.stringify([one.client, one.person, one.integration, one.registration])
    const known = sums.get(key)
    if (known) known.changes += one.changes
    else sums.set(key, { ...one })
  }
  return [...sums.values()]
}

/** The undone changes of each kind of client, by the keys under which an admin may have decided about it. Pure. */
export function sumByKey(agents: readonly UndoneOfAgent[]): Map<string, number> {
  const sums = new Map<string, number>()
  for (const { integration, changes } of agents)
    for (const key of keysOf(integration)) sums.set(key, (sums.get(key) ?? 0) + changes)
  return sums
}

/**
 * The undone changes of a client that one person connected; null when they are not known. Changes without a
 * registration count for every client with that name. Pure.
 */
export function undoneOfPerson(
  agents: readonly UndoneOfAgent[] | undefined,
  by: { client: string; userId: string; key: string; registration: string },
): number | null {
  if (agents === undefined) return null
  const keys = keysOf(by.key)
  return sum(
    agents.filter(
      ({ client, person, integration, registration = by.registration }) =>
        client === by.client && person === by.userId && keys.includes(integration) && registration === by.registration,
    ),
  )
}

const sum = (agents: readonly UndoneOfAgent[]): number => agents.reduce((total, { changes }) => total + changes, 0)
