import { z } from 'zod'
import { text } from '../text.ts'
import { Author } from './daemon-history.api.ts'

/** Request and response schemas of readings and news: what changed in a vault since the caller last read it. */

const ok = z.literal(true)

/** How many notes one author changed since the caller last read them. A note changed by two authors counts for both. */
export const NewsBy = z.object({ author: Author, notes: z.int().positive() })

/** A note that changed since the caller last read it; `at` is the time of its newest change. */
const ChangedNote = z.object({ path: z.string(), at: z.iso.datetime(), authors: z.array(Author) })

/** The most notes that an answer lists. */
export const MAX_LISTED_NEWS = 1000

/** `limit` applies to the list of notes; the counts always cover all. */
export const NewsQuery = z.object({ limit: z.coerce.number().int().min(0).max(MAX_LISTED_NEWS).default(100) })

/**
 * `notes` is how many notes have news, `by` counts them by author, most active first, and `changed` lists them, newest
 * first. Changes before `since`, when the caller first looked or marked everything as read, are not news.
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

/** What a list shows of a vault besides its name. Unknown fields are missing. */
export const vaultActivity = {
  notes: z.int().optional(),
  changedAt: z.iso.datetime().optional(),
  changedBy: Author.optional(),
  news: z.array(NewsBy).max(10_000).optional(),
}
