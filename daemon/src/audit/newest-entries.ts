import type { z } from 'zod'
import { AuditEntry } from '@svc/shared/wire/daemon/daemon-audit.api.ts'
import { linesBackward } from '../files/read-backward.ts'
import { Conclusion, idIn, Intent, parseLine, withOutcome } from './audit-lines.ts'

export type EntryFilter = {
  /** Only entries of this actor. */
  actor?: string | undefined
}

/** The newest entries of a record, newest first, with what came of them. Reads back until there are `limit`. */
export async function newestEntries(path: string, limit: number, { actor }: EntryFilter = {}) {
  const conclusions = new Map<string, Conclusion>()
  const entries: z.infer<typeof AuditEntry>[] = []
  for await (const line of linesBackward(path)) {
    if (entries.length === limit) break
    const value = parseLine(line)
    const { id, isConclusion } = idIn(value) ?? {}
    if (isConclusion) {
      const conclusion = Conclusion.safeParse(value)
      if (conclusion.success) conclusions.set(conclusion.data.id, conclusion.data)
      continue
    }
    if (actor === undefined || actorIn(value) === actor) {
      const entry = AuditEntry.safeParse(value)
      if (entry.success) entries.push(withOutcome(entry.data, Intent.safeParse(value).data, conclusions))
    }
    // A long record has many entries of others: keep nothing about those that were passed.
    if (id !== undefined) conclusions.delete(id)
  }
  return entries
}

const actorIn = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'actor' in value ? value.actor : undefined
