import { z } from 'zod'
import { text } from '../text.ts'
import { MAX_LISTED_VAULTS } from './daemon.api.ts'

/** Request and response schemas of reverting what one client or author did. */

/** The moment from which changes are reverted: a time, or a revision. */
export const RevertSince = z.union(
  [z.iso.datetime(), z.string().regex(/^[0-9a-f]{7,40}$/)],
  'must be a time such as 2026-01-31T10:00:00Z, or a revision',
)

/**
 * What to revert: everything that one agent (`client`) or author (`actor`, an id of the history) did after `since`, a
 * time or a revision. With `person`, an id, only what the agent did for that person; null stands for an agent that
 * acted for nobody. With `path`, only in one note. With `until`, a time or the last revision to revert, later changes of
 * the same author stay, like those of others. To revert one change, give its revision as `until` and the one before as
 * `since`. Nothing is changed unless `dryRun` is false. The `review` of a dry run ensures that exactly the shown changes
 * are made.
 */
export const RevertRequest = z
  .strictObject({
    client: text().min(1).max(200).optional(),
    person: text().min(1).max(100).nullable().optional(),
    actor: text().min(1).max(200).optional(),
    since: RevertSince,
    until: RevertSince.optional(),
    path: text().min(1).optional(),
    dryRun: z.boolean().default(true),
    review: z.string().max(64).optional(),
  })
  .refine(({ client, actor }) => (client === undefined) !== (actor === undefined), {
    message: 'needs either client or actor',
    path: ['client'],
  })
  .refine(({ client, person }) => client !== undefined || person === undefined, {
    message: 'needs client',
    path: ['person'],
  })

// The lists are long: a reader who stops at the first problem must stop at these too.
const stop = { abort: true }
const UndoneOfAgent = z.object({
  client: text().max(200, stop),
  person: text().max(100, stop),
  integration: text().max(500, stop),
  registration: text().max(500, stop).optional(),
  changes: z.int().min(0, stop),
})

/**
 * How many changes of each agent of the control plane were undone, by vault. `person` is the id of the person for whom
 * the agent acted. `registration` is missing for changes from before daemons recorded it.
 */
export const UndoneList = z.object({
  ok: z.literal(true),
  vaults: z.array(z.object({ id: z.string(), agents: z.array(UndoneOfAgent).max(10_000) })).max(MAX_LISTED_VAULTS),
})

/** A passage that stays, because others changed it later. */
const RevertConflict = z.object({ line: z.int().positive(), now: z.string(), before: z.string() })

export const RevertedNote = z.object({
  path: z.string(),
  action: z.enum(['edit', 'trash', 'bring_back', 'move_back']),
  /** The path that the note gets back. */
  to: z.string().optional(),
  /** The baseline of the reverted note; absent in a dry run, and where no note is left. */
  baseline: z.string().optional(),
  diff: z.string(),
  conflicts: z.array(RevertConflict),
})

/** `left` are the notes that stay unchanged, with the reasons. */
export const RevertResult = z.object({
  ok: z.literal(true),
  dryRun: z.boolean(),
  review: z.string(),
  notes: z.array(RevertedNote),
  left: z.array(z.object({ path: z.string(), reason: z.string() })),
})
