import type { AuditEntry } from '../api/agent-calls.ts'

/** The changes of one agent for one person, newest first. */
export type AgentWork = { name: string; person: AuditEntry['person']; changes: AuditEntry[]; notes: number }

/**
 * The agents in the audit of a vault, the most recently active first. Leaves out changes that failed, and reverts that
 * found nothing to change: they are of no file. Pure.
 */
export function agentsOf(entries: readonly AuditEntry[]): AgentWork[] {
  const made = entries.filter(
    ({ actor, client, path, outcome }) =>
      actor === 'mcp_client' &&
      client !== undefined &&
      path !== '' &&
      outcome !== 'failed' &&
      outcome !== 'interrupted',
  )
  const groups = Map.groupBy(made, ({ client, person }) => JSON.stringify([client, person?.id]))
  return [...groups.values()]
    .map((changes) => {
      const newestFirst = changes.toSorted((one, other) => (one.at < other.at ? 1 : -1))
      const { client, person } = newestFirst[0]!
      return {
        name: client!,
        person,
        changes: newestFirst,
        notes: new Set(changes.map(({ path }) => path)).size,
      }
    })
    .toSorted((one, other) => (one.changes[0]!.at < other.changes[0]!.at ? 1 : -1))
}

const DAY_MS = 24 * 3_600_000

type Known = {
  /** False if the list of changes was cut off, so that there may be older ones. */
  isWhole: boolean
  now: Date
}

/** The undo that is offered for an agent: from when on, and its name. Pure. */
export function undoOffer({ changes }: AgentWork, { isWhole, now }: Known): { name: string; since: string } {
  const oldest = changes.at(-1)!.at
  const dayAgo = new Date(now.getTime() - DAY_MS).toISOString()
  const since = justBefore(oldest)
  if (dayAgo > since) return { name: 'Undo the last day', since: dayAgo }
  return { name: isWhole ? 'Undo all' : `Undo since ${new Date(oldest).toLocaleString()}`, since }
}

/** A moment from which on a change is undone too. Pure. */
export const justBefore = (at: string): string => new Date(new Date(at).getTime() - 1).toISOString()
