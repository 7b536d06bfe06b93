import { z } from 'zod'
import { AuditEntry } from '@svc/shared/wire/daemon/daemon-audit.api.ts'
import { Evidence } from './evidence.ts'
import { UndoneChanges } from './undone-changes.ts'

const Undone = z.object({ path: z.string(), changes: z.array(UndoneChanges) })
/** An entry that is written before its change. */
export const Intent = AuditEntry.omit({ outcome: true }).extend({
  id: z.string(),
  evidence: Evidence,
  undone: Undone.optional(),
})
/** What came of an intent. */
export const Conclusion = z.object({
  id: z.string(),
  outcome: z.enum(['done', 'failed', 'interrupted']),
  after: z.string().optional(),
  /** Copied from the intent if the change was made. Only these lines are counted. */
  undone: Undone.optional(),
})
export type Conclusion = z.infer<typeof Conclusion>
/**
 * A mark: every intent before it is concluded. A start writes one, and so does a long run now and then. It is no entry:
 * whoever lists or counts entries passes over it.
 */
export type Mark = { opened: string }

// A start may see millions of lines, so these look at single fields. It checks only open intents completely.

/** True for a mark. */
export const isMark = (value: unknown): value is Mark =>
  isRecord(value) && typeof value['opened'] === 'string' && !('path' in value)

/** The id of an intent or of a conclusion; undefined for any other line. */
export function idIn(value: unknown): { id: string; isConclusion: boolean } | undefined {
  if (!isRecord(value) || typeof value['id'] !== 'string') return undefined
  return { id: value['id'], isConclusion: 'outcome' in value && !('evidence' in value) }
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** An entry as it is listed: with what came of it. */
export function withOutcome(
  entry: z.infer<typeof AuditEntry>,
  intent: z.infer<typeof Intent> | undefined,
  conclusions: ReadonlyMap<string, Conclusion>,
): z.infer<typeof AuditEntry> {
  if (!intent) return { ...entry, outcome: 'done' }
  const conclusion = conclusions.get(intent.id)
  return { ...entry, after: conclusion?.after ?? entry.after, outcome: conclusion?.outcome ?? 'pending' }
}

/** The value in a line; undefined for a line that a crash has cut. */
export function parseLine(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
