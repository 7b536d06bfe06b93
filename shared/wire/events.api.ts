import { z } from 'zod'
import { OrgId } from './ids.ts'

/** Events of `GET /api/events`, by which the web app shows changes without polling. */

/**
 * What may have changed, and who is notified: members of the organization, its admins, system admins, or the person
 * alone.
 */
export const changeTopics = {
  organization: 'member',
  members: 'member',
  daemon: 'member',
  operations: 'member',
  integrations: 'member',
  invitations: 'admin',
  keys: 'admin',
  backups: 'admin',
  audit: 'admin',
  rollouts: 'systemAdmin',
  people: 'systemAdmin',
  rules: 'systemAdmin',
  account: 'person',
} as const

export type ChangeTopic = keyof typeof changeTopics
const topics = Object.keys(changeTopics) as ChangeTopic[]

/** Something that a page shows has changed. Names what to read again, never its new value. */
export const StateChange = z.object({
  topic: z.enum(topics),
  orgId: OrgId.nullable().describe('Null: of the platform, or of the person.'),
})
export type StateChange = z.infer<typeof StateChange>

/** Data of the event `change`: everything that changed since the previous one, each once. */
export const ChangeEvent = z.object({ changes: z.array(StateChange).min(1) })

/** Data of the event `end`, after which the server closes the stream. */
export const EndEvent = z.object({
  reason: z
    .enum(['session_ended', 'closing'])
    .describe('`session_ended`: sign in again. `closing`: connect again, another replica may answer.'),
})

/**
 * Events of the stream by name, with their data. `hello` is the first one of every stream, and `resync` means that
 * changes may have been missed: after both, the client reads everything again. `beat` means that every change until now
 * was sent.
 */
export const stateEvents = {
  hello: z.object({}),
  change: ChangeEvent,
  beat: z.object({}),
  resync: z.object({}),
  end: EndEvent,
}
