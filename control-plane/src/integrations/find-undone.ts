import { withTimeLimit } from '@svc/shared/kit/time-limit.ts'
import type { UndoneOfAgent } from '../db/tables/agents.tables.ts'
import { sumByAgent } from './count-undone.ts'
import type { UndoneChangesRepository } from './undone-changes.repository.ts'

/** An organization and the person who looks at it. */
type Viewer = { orgId: string; userId: string }

/**
 * Finds how many changes of each agent were undone in an organization. Queries its daemon. If the daemon does not
 * respond in time, returns its last report; undefined if there is none.
 */
export type FindUndone = (viewer: Viewer) => Promise<UndoneOfAgent[] | undefined>

/** The report of a daemon: numbers by vault, with the names of agents, never with notes. */
export type ListUndone = (
  viewer: Viewer & { signal: AbortSignal },
) => Promise<{ vaults: { agents: UndoneOfAgent[] }[] }>

type Deps = { listUndone: ListUndone; undone: UndoneChangesRepository }

const DEADLINE_MS = 1_500
// A daemon is not trusted: its report must neither fill the database nor hold the event loop.
const MOST_AGENTS = 500
const MOST_ENTRIES = 10_000

export function createFindUndone({ listUndone, undone }: Deps): FindUndone {
  return async ({ orgId, userId }) => {
    const reported = await withTimeLimit({ ms: DEADLINE_MS }, (signal) =>
      Promise.race([
        listUndone({ orgId, userId, signal }),
        new Promise<undefined>((resolve) => signal.addEventListener('abort', () => resolve(undefined), { once: true })),
      ]),
    ).catch(() => undefined)
    if (reported === undefined) return undone.find(orgId)
    const entries = reported.vaults.flatMap((vault) => vault.agents).slice(0, MOST_ENTRIES)
    const agents = sumByAgent(entries).slice(0, MOST_AGENTS)
    await undone.upsert(orgId, agents)
    return agents
  }
}
