import { z } from 'zod'
import { LiveWho } from '@svc/shared/wire/daemon/live-messages.ts'

const version = z.number().int().min(0)
const Changes = z.array(z.union([z.number(), z.tuple([z.number()], z.string())]))
const Actor = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('local') }),
  z.object({ kind: z.literal('person'), id: z.string(), name: z.string(), role: z.enum(['admin', 'member']) }),
  z.object({
    kind: z.literal('mcp_client'),
    client: z.string(),
    person: z.object({ id: z.string(), name: z.string() }).optional(),
    integration: z.string().optional(),
    registration: z.string().optional(),
  }),
  z.object({ kind: z.literal('system'), name: z.string() }),
])

const Writer = z.object({
  id: z.string(),
  name: z.string(),
  person: z.object({ id: z.string(), name: z.string() }).optional(),
  integration: z.string().optional(),
  registration: z.string().optional(),
})

/** The last update of a client that is in the text of its note, when it came, and whose client it is. */
export const Receipt = z.object({ client: z.string(), seq: version, at: z.number(), owner: z.string().optional() })
export type Receipt = z.infer<typeof Receipt>

/** The records of a vault's write-ahead log. `epoch` names the live session. */
export const LogRecord = z.discriminatedUnion('kind', [
  /** A session with unsaved changes: its text, and the text of its file if that differs. */
  z.object({
    kind: z.literal('session'),
    epoch: z.string(),
    path: z.string(),
    version,
    text: z.string(),
    file: z.object({ text: z.string().optional(), baseline: z.string() }),
    by: Actor,
    /** Who wrote the lines that the file does not have. */
    writers: z.array(z.object({ lines: z.int().positive(), by: Writer.optional() })).optional(),
  }),
  /** Updates on top of a version. `seq` is that of the last one, if a client made them. */
  z.object({
    kind: z.literal('updates'),
    epoch: z.string(),
    version,
    client: z.string(),
    seq: version.optional(),
    by: Actor,
    who: LiveWho.optional(),
    changes: z.array(Changes),
  }),
  /** The file will have the text of a version; written before the file is. */
  z.object({ kind: z.literal('saving'), epoch: z.string(), version, baseline: z.string() }),
  /** The file has the text of a version. */
  z.object({ kind: z.literal('saved'), epoch: z.string(), version, baseline: z.string() }),
  /** The file was changed by others, and the text has that change. */
  z.object({ kind: z.literal('file'), epoch: z.string(), text: z.string(), baseline: z.string() }),
  z.object({ kind: z.literal('moved'), epoch: z.string(), path: z.string() }),
  z.object({ kind: z.literal('ended'), epoch: z.string() }),
  z.object({ kind: z.literal('receipts'), receipts: z.array(Receipt) }),
  z.object({ kind: z.literal('forget'), client: z.string() }),
])
export type LogRecord = z.infer<typeof LogRecord>

/** Makes a record when it is written: the records of many notes would fill the memory. */
export type MakeRecord = () => LogRecord
