import { z } from 'zod'
import { text } from '../text.ts'
import { Author } from './daemon-history.api.ts'

/** Request and answer schemas of readings and news: what changed in a vault since the caller last read it. */

const ok = z.literal(true)

/** How many notes one author changed since the caller last read them. A note that two changed counts for both. */
export const NewsBy = z.object({ author: Author, notes: z.int().positive() })

/** A note that changed since the caller last read it; `at` is the time of its newest change. */
export const ChangedNote = z.object({ path: z.string(), at: z.iso.datetime(), authors: z.array(Author) })

/** `limit` is for the list of notes; the counts are always of all. */
export const NewsQuery = z.object({ limit: z.coerce.number().int().min(0).max(1000).default(100) })

/**
 * `notes` is how many notes have news, `by` counts them by author, the busiest first, and `changed` lists them, the newest
 * first. Nothing older than `since`, the time at which the caller first looked or said to have read everything, is news.
 */
export const NewsAnswer = z.object({
  ok,
  news: z.object({ since: z.iso.datetime(), notes: z.int(), by: z.array(NewsBy), changed: z.array(ChangedNote) }),
})

/** The caller has read a note up to this baseline. */
export const ReadUpTo = z.strictObject({ baseline: text().min(1).max(64) })
export const NoteRead = z.object({ ok, note: z.object({ path: z.string(), baseline: z.string() }) })

/** The caller has read everything up to now. */
export const ReadAll = z.strictObject({})
export const AllRead = z.object({ ok, since: z.iso.datetime() })

/** What a list tells of a vault beside its name. Fields are missing while they are not known. */
export const vaultActivity = {
  notes: z.int().optional(),
  changedAt: z.iso.datetime().optional(),
  changedBy: Author.optional(),
  news: z.array(NewsBy).optional(),
}
