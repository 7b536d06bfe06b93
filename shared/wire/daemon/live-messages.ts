import { z } from 'zod'
import { errorCodes } from '../errors.ts'
import { isStorableText } from '../text.ts'

/** Limits of a live session. Sizes and rates are checked before a message is parsed. */
export const liveLimits = {
  maxMessageBytes: 1024 * 1024,
  maxParticipants: 200,
  maxOpenNotes: 2000,
  /** About the bytes of memory that the texts of all open notes of a daemon take: a character is 1, a line 50 more. */
  maxOpenText: 256 * 1024 * 1024,
  /** Maximum updates in one push, and characters that one push inserts. */
  maxUpdates: 200,
  maxInserted: 256 * 1024,
  /** Runs of kept, deleted and inserted text in one update, and in all updates of one push. */
  maxSections: 4000,
  maxPushSections: 8000,
  /** Messages that one participant may send in a burst, and per second afterwards. */
  messageBurst: 200,
  messagesPerSecond: 60,
  /** Characters of messages that one participant has sent and that wait for the ones before. */
  maxWaiting: 2 * 1024 * 1024,
  /** Unsent bytes of one participant at which it is dropped; it resumes when it reconnects. */
  maxBacklogBytes: 1024 * 1024,
  /** Characters in one part of a text that is sent whole. */
  textPart: 128 * 1024,
} as const

const version = z.number().int().min(0)
const clientId = z.string().regex(/^[A-Za-z0-9_-]{8,64}$/)
const epoch = z.string().regex(/^[A-Za-z0-9_-]{8,64}$/)

/**
 * One change set as `ChangeSet.toJSON` of @codemirror/state writes it: kept lengths, and deleted lengths with inserted
 * lines. Checked by hand, because a message may hold hundreds of thousands of entries.
 */
export type LiveChanges = (number | [number, ...string[]])[]
export const LiveChanges = z.custom<LiveChanges>(isChanges, 'is not a change set')

/** A version or a length: the same values that the schema of messages takes. */
export const isVersion = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0
const isLine = (value: unknown): boolean =>
  typeof value === 'string' && isStorableText(value) && !value.includes('\n') && !value.includes('\r')

export function isChanges(value: unknown): value is LiveChanges {
  if (!Array.isArray(value) || value.length > liveLimits.maxSections) return false
  return value.every((part: unknown) =>
    Array.isArray(part)
      ? isVersion(part[0]) && part.every((line, index) => index === 0 || isLine(line))
      : isVersion(part),
  )
}

/** Whether valid change sets are small enough together for one push, which is applied in one turn. */
export function isPushSize(updates: readonly LiveChanges[]): boolean {
  let sections = 0
  let inserted = 0
  for (const changes of updates) {
    sections += changes.length
    for (const part of changes) if (typeof part !== 'number') inserted += insertedLength(part)
  }
  return sections <= liveLimits.maxPushSections && inserted <= liveLimits.maxInserted
}

/** The characters of inserted lines and of the line ends between them. */
function insertedLength([, ...lines]: [number, ...string[]]): number {
  return lines.reduce((sum, line) => sum + line.length + 1, lines.length === 0 ? 0 : -1)
}

/** Change sets from the daemon: the text of files may contain characters that nobody may type. */
const AnyChanges = z.array(z.union([z.number(), z.tuple([z.number()], z.string())]))

/** The author of a change, or a participant. */
export const LiveWho = z.object({
  kind: z.enum(['local', 'person', 'agent', 'system', 'outside']),
  name: z.string(),
})
export type LiveWho = z.infer<typeof LiveWho>

/** Messages of a participant. */
export const ClientMessage = z.discriminatedUnion('type', [
  /**
   * The first message. `epoch` and `version` say what the client has; without them it gets the whole text. `alive`: the
   * client understands the message of that name.
   */
  z.object({
    type: z.literal('hello'),
    clientId,
    epoch: epoch.optional(),
    version: version.optional(),
    alive: z.literal(true).optional(),
  }),
  /** The whole text has arrived, as its length proves. Nothing can be pushed before. */
  z.object({ type: z.literal('loaded'), version, length: version }),
  /** Updates on top of a version; `seq` counts all updates of the client and is the number of the first of these. */
  z.object({
    type: z.literal('push'),
    version,
    seq: z.number().int().min(1),
    updates: z.array(LiveChanges).min(1).max(liveLimits.maxUpdates).refine(isPushSize, 'are too much for one push'),
  }),
  z.object({ type: z.literal('cursor'), version, anchor: version, head: version }),
  /** The client has nothing unsent, so the daemon can forget it. */
  z.object({ type: z.literal('bye') }),
])
export type ClientMessage = z.infer<typeof ClientMessage>

/** A participant as others see it. `client` is the id that its updates carry. */
export const LivePerson = z.object({ id: z.string(), client: z.string(), who: LiveWho })
export type LivePerson = z.infer<typeof LivePerson>

/** Messages of the daemon. */
export const DaemonMessage = z.discriminatedUnion('type', [
  /**
   * The response to `hello`. `resumed`: updates since the client's version follow; otherwise the text follows in
   * `parts` parts. `accepted` is the last update of this client that is in the text, whatever happened to the
   * connection that carried it.
   */
  z.object({
    type: z.literal('welcome'),
    you: z.string(),
    epoch,
    version,
    path: z.string(),
    accepted: z.number().int().min(0),
    resumed: z.boolean(),
    parts: z.number().int().min(0),
    durable: z.object({ version, at: z.string(), baseline: z.string() }),
  }),
  z.object({ type: z.literal('text'), part: z.string() }),
  /**
   * Updates on top of `version`, in the order that applies to everybody; the client's own are among them. They survive
   * a power loss.
   */
  z.object({
    type: z.literal('updates'),
    version,
    updates: z.array(z.object({ client: z.string(), changes: AnyChanges, who: LiveWho.optional() })),
  }),
  /** The note file holds everything up to `version`. */
  z.object({ type: z.literal('durable'), version, at: z.string(), baseline: z.string() }),
  /** The note file could not be written; it is retried, and nothing acknowledged is lost. */
  z.object({ type: z.literal('failed'), code: z.enum(errorCodes), message: z.string() }),
  z.object({ type: z.literal('people'), people: z.array(LivePerson) }),
  z.object({ type: z.literal('cursor'), id: z.string(), version, anchor: version, head: version }),
  /** The connection still works. Sent after the welcome and then regularly, to clients that asked for it. */
  z.object({ type: z.literal('alive') }),
  z.object({ type: z.literal('moved'), path: z.string() }),
  /** The note was deleted. `rescued`: text that was in no file is in the trash. The connection closes. */
  z.object({ type: z.literal('gone'), rescued: z.boolean(), who: LiveWho.optional() }),
])
export type DaemonMessage = z.infer<typeof DaemonMessage>
