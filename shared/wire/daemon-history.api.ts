import { z } from 'zod'
import { text } from './text.ts'

/** Request and answer schemas of the history of a note; the rest of the daemon's API is in daemon.api.ts. */

const RevisionId = z.string().regex(/^[0-9a-f]{7,40}$/, 'must be the id of a revision')

/** One revision of a note. `author.id` is a user id, `mcp_client`, `local`, `system` or `outside`. */
export const Revision = z.object({
  rev: z.string(),
  at: z.iso.datetime(),
  author: z.object({ id: z.string(), name: z.string() }),
  message: z.string(),
})
/** Without anything: revisions, newest first. `rev`: its text. `from` and `to`: their difference. */
export const HistoryQuery = z.object({
  rev: RevisionId.optional(),
  from: RevisionId.optional(),
  to: RevisionId.optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.coerce.number().int().min(0).optional(),
})
export const HistoryAnswer = z.object({
  ok: z.literal(true),
  state: z.enum(['starting', 'ready', 'unavailable']),
  path: z.string(),
  revisions: z.array(Revision).optional(),
  nextCursor: z.string().optional(),
  rev: z.string().optional(),
  content: z.string().optional(),
  diff: z.string().optional(),
})
/** Puts the text of a revision back as a new change; `baseline` of the note as it is, none when it is gone. */
export const RestoreRevision = z.strictObject({ rev: RevisionId, baseline: text().optional() })
