import { z } from 'zod'
import { text } from '../text.ts'

/** Request and response schemas of the history of a note; the rest of the daemon's API is in daemon.api.ts. */

const RevisionId = z.string().regex(/^[0-9a-f]{7,40}$/, 'must be the id of a revision')

/** The state of a vault's history. `behind`: revisions wait on disk until git can write them. */
export const HistoryStates = z.enum(['starting', 'ready', 'behind', 'unavailable'])

/**
 * An author. `id` is that of a user, or the kind. For an agent, `name` is the name of its client and `person` the
 * person for whom it acted.
 */
export const Author = z.object({
  kind: z.enum(['person', 'mcp_client', 'local', 'system', 'outside']),
  id: z.string(),
  name: z.string(),
  person: z.object({ id: z.string(), name: z.string() }).optional(),
})

/** One revision of a note, with the path that the note had then. */
export const Revision = z.object({
  rev: z.string(),
  at: z.iso.datetime(),
  author: Author,
  message: z.string(),
  path: z.string(),
})
/** Without parameters: revisions, newest first. `rev`: its text. `from` and `to`: their difference. */
export const HistoryQuery = z.object({
  rev: RevisionId.optional(),
  from: RevisionId.optional(),
  to: RevisionId.optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.coerce.number().int().min(0).optional(),
})
export const HistoryAnswer = z.object({
  ok: z.literal(true),
  state: HistoryStates,
  path: z.string(),
  revisions: z.array(Revision).optional(),
  /** Where the note is now that was last at this path; absent while a note is at the path, and after a deletion. */
  movedTo: z.string().optional(),
  nextCursor: z.string().optional(),
  rev: z.string().optional(),
  content: z.string().optional(),
  diff: z.string().optional(),
})
/** Deleted notes that only the history has, the last deleted first. */
export const DeletedNotesQuery = z.object({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.coerce.number().int().min(0).optional(),
})
/** `rev` is the last revision with the text of the note: restoring it brings the note back. */
export const DeletedNote = z.object({
  path: z.string(),
  rev: z.string(),
  deletedAt: z.iso.datetime(),
  deletedBy: Author,
})
export const DeletedNotes = z.object({
  ok: z.literal(true),
  state: HistoryStates,
  notes: z.array(DeletedNote),
  nextCursor: z.string().optional(),
})
/** `since`: only what was written after this time. */
export const AuthorsQuery = z.object({ since: z.iso.datetime().optional() })

/** Consecutive lines by one author, counted from 1. Lines without an author are older than the requested range. */
export const LineRun = z.object({
  line: z.int().positive(),
  lines: z.int().positive(),
  author: Author.optional(),
  at: z.iso.datetime().optional(),
  /** The revision that brought the lines; none while they wait to become one. */
  rev: z.string().optional(),
})

/** The authors of a note's lines; `lines` is their number, and `baseline` names the text that this describes. */
export const AuthorsAnswer = z.object({
  ok: z.literal(true),
  state: HistoryStates,
  note: z.object({ path: z.string(), baseline: z.string(), lines: z.int(), runs: z.array(LineRun) }),
})
/** Restores the text of a revision as a new change; `baseline` of the current note, absent when it was deleted. */
export const RestoreRevision = z.strictObject({ rev: RevisionId, baseline: text().optional() })
