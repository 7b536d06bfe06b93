import { withTimeLimit } from '@svc/shared/kit/time-limit.ts'
import type { UndoneOfAgent } from '../db/tables/agents.tables.ts'
import { keysOf } from './integration-keys.ts'
import type { UndoneChangesRepository } from './undone-changes.repository.ts'

/** An organization and the person who looks at it. */
type Viewer = { orgId: string; userId: string }

/**
 * Finds how many changes of each agent were taken back in an organization. Asks its daemon; without a response in time,
 * what the daemon last reported. Undefined when it never reported.
 */
export type FindUndone = (viewer: Viewer) => Promise<UndoneOfAgent[] | undefined>

/** The report of a daemon: numbers by vault, with the names of agents, never with notes. */
export type ListUndone = (
  viewer: Viewer & { signal: AbortSignal },
) => Promise<{ vaults: { agents: UndoneOfAgent[] }[] }>

type Deps = { listUndone: ListUndone; undone: UndoneChangesRepository }

const DEADLINE_MS = 1_500
// A daemon is another's program: it must not fill the database.
const MOST_AGENTS = 500

export function createFindUndone({ listUndone, undone }: Deps): FindUndone {
  return async ({ orgId, userId }) => {
    const reported = await withTimeLimit({ ms: DEADLINE_MS }, (signal) => listUndone({ orgId, userId, signal })).catch(
      () => undefined,
    )
    if (reported === undefined) return undone.find(orgId)
    const agents = sumByAgent(reported.vaults.flatMap((vault) => vault.agents)).slice(0, MOST_AGENTS)
    await undone.upsert(orgId, agents)
    return agents
  }
}

/** One entry for each agent, with its changes in all vaults. Pure. */
export function sumByAgent(all: readonly UndoneOfAgent[]): UndoneOfAgent[] {
  const sums = new Map<string, UndoneOfAgent>()
  for (const { client, person, integration, changes } of all) {
    const key = JSON.stringify([client, person, integration])
    const known = sums.get(key)
    if (known) known.changes += changes
    else sums.set(key, { client, person, integration, changes })
  }
  return [...sums.values()]
}

/** The undone changes of a kind of client; null when they are not known. Pure. */
export function undoneOfKey(agents: readonly UndoneOfAgent[] | undefined, key: string): number | null {
  if (agents === undefined) return null
  return sum(agents.filter(({ integration }) => integration !== undefined && keysOf(integration).includes(key)))
}

/** The undone changes of a client that one person connected; null when they are not known. Pure. */
export function undoneOfPerson(
  agents: readonly UndoneOfAgent[] | undefined,
  by: { client: string; userId: string; key: string },
): number | null {
  if (agents === undefined) return null
  const keys = keysOf(by.key)
  return sum(
    agents.filter(
      ({ client, person, integration }) =>
        client === by.client && person === by.userId && integration !== undefined && keys.includes(integration),
    ),
  )
}

const sum = (agents: readonly UndoneOfAgent[]): number => agents.reduce((total, { changes }) => total + changes, 0)
