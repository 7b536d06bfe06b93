import { z } from 'zod'
import { text } from '../text.ts'

/** The use of a daemon: what decides whether a hosted one may sleep. */
export const Activity = z.object({
  sequence: text().describe('Opaque; another value means that there was a request in between.'),
  inProgress: z.number().int().min(0).describe('Requests that are being answered, event streams not counted.'),
  idleMs: z.number().int().min(0).describe('Milliseconds since the last request ended.'),
})
export type Activity = z.infer<typeof Activity>
export const ActivityResult = z.object({ ok: z.literal(true), activity: Activity })
