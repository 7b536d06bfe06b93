import { z } from 'zod'
import { sameProgram, type Author } from '../entry/author.ts'

/** Changes of one agent that a revert took back in one note: the revisions, each with its number of changes. */
export const UndoneChanges = z.object({
  client: z.string(),
  /** The id of the person for whom the agent acted. */
  person: z.string().optional(),
  integration: z.string().optional(),
  registration: z.string().optional(),
  revisions: z.array(z.tuple([z.string(), z.int().positive()])),
})
export type UndoneChanges = z.infer<typeof UndoneChanges>

/** How many changes of one agent were taken back in a vault. */
export type UndoneCount = Omit<UndoneChanges, 'revisions'> & { changes: number }

// Enough to distinguish the revisions of a vault.
const REVISION_CHARS = 16

/** The changes of agents among those that a revert takes back in a note. Pure. */
export function undoneByAgent(
  steps: readonly { rev: string; changes: number; by: readonly Author[] }[],
): UndoneChanges[] {
  const found: { author: Author; revisions: Map<string, number> }[] = []
  for (const { rev, changes, by } of steps)
    for (const author of by) {
      if (author.id !== 'mcp_client') continue
      let known = found.find((one) => sameProgram(one.author, author))
      if (!known) found.push((known = { author, revisions: new Map() }))
      known.revisions.set(rev.slice(0, REVISION_CHARS), changes)
    }
  return found.map(({ author: { name, person, integration, registration }, revisions }) => ({
    client: name,
    ...(person && { person: person.id }),
    ...(integration !== undefined && { integration }),
    ...(registration !== undefined && { registration }),
    revisions: [...revisions],
  }))
}

/**
 * Counts undone changes by agent. A revision that several reverts took back in the same note counts once.
 */
export class UndoneCounts {
  readonly #counts = new Map<string, UndoneCount>()
  readonly #counted = new Set<string>()

  add(path: string, undone: readonly UndoneChanges[]): void {
    for (const { revisions, ...who } of undone) {
      const agent = JSON.stringify([who.client, who.person, who.integration, who.registration])
      const count = this.#counts.get(agent) ?? { ...who, changes: 0 }
      this.#counts.set(agent, count)
      for (const [rev, changes] of revisions) {
        const key = JSON.stringify([agent, rev, path])
        if (this.#counted.has(key)) continue
        this.#counted.add(key)
        count.changes += changes
      }
    }
  }

  list(): UndoneCount[] {
    return [...this.#counts.values()]
  }
}
