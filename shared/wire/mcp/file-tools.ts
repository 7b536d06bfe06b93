import { z } from 'zod'
import { Author, HistoryStates } from '../daemon/daemon-history.api.ts'
import { LinkProblem } from '../daemon/daemon-links.api.ts'
import { MovedNote } from '../daemon/daemon-moves.api.ts'
import { Attachment } from '../daemon/daemon.api.ts'
import { text } from '../text.ts'
import { fileCursor, offsetCursor, pathArgument, vaultIdArgument } from './tool-arguments.ts'
import { defineTool } from './tool-definition.ts'

/** Tools for files and what belongs to them: moves, links, history, attachments. */

/** Maximum bytes of an attachment in one call: larger ones travel over REST. A call to write is one short JSON text. */
export const attachmentLimits = { read: 1024 * 1024, write: 700 * 1024 } as const

/** Moves or renames a file or folder; the links to it are updated. */
export const moveNote = defineTool({
  name: 'move_note',
  title: 'Move or rename',
  description: 'Move or rename a note, attachment or folder; links in all notes follow. Tells which notes changed.',
  effect: 'changes',
  idempotent: false,
  input: z.object({
    vaultId: vaultIdArgument,
    path: pathArgument,
    newPath: text().min(1).max(4096).describe('Must be free'),
    dryRun: z.boolean().default(false),
  }),
  output: z.object({
    path: z.string(),
    dryRun: z.boolean(),
    notesTotal: z.int(),
    notes: z.array(MovedNote.pick({ path: true, baseline: true, links: true })),
  }),
})

const LineOfNote = z.object({ line: z.int(), text: z.string() })
const Referrer = z.object({ path: z.string(), lines: z.array(LineOfNote) })

/** The links of a note, and the links to it. */
export const listLinks = defineTool({
  name: 'list_links',
  title: 'List links',
  description: 'Links of a note: outgoing, with problem where broken, and backlinks with their lines.',
  effect: 'reads',
  idempotent: true,
  input: z.object({
    vaultId: vaultIdArgument,
    path: pathArgument,
    mentions: z.boolean().default(false).describe('Also notes that name it without a link'),
    limit: z.int().min(1).max(200).default(50).describe('Backlinks per page'),
    cursor: offsetCursor,
  }),
  output: z.object({
    outgoing: z.array(
      z.object({ line: z.int(), target: z.string(), path: z.string().optional(), problem: LinkProblem.optional() }),
    ),
    backlinks: z.array(Referrer),
    backlinksTotal: z.int(),
    mentions: z.array(Referrer),
    partial: z.boolean(),
    nextCursor: z.string().optional(),
  }),
})

const revision = z.string().regex(/^[0-9a-f]{7,40}$/, 'must be the id of a revision')

/** The versions of a note: who wrote what when. */
export const noteHistory = defineTool({
  name: 'note_history',
  title: 'Note history',
  description: 'Versions of a note, newest first. rev: its text then. from (with to, else now): the difference.',
  effect: 'reads',
  idempotent: true,
  input: z.object({
    vaultId: vaultIdArgument,
    path: pathArgument,
    rev: revision.optional(),
    from: revision.optional(),
    to: revision.optional(),
    limit: z.int().min(1).max(100).default(20),
    cursor: offsetCursor,
  }),
  output: z.object({
    path: z.string(),
    state: HistoryStates,
    revisions: z
      .array(
        z.object({
          rev: z.string(),
          at: z.string(),
          author: Author.pick({ kind: true, name: true }),
          message: z.string(),
        }),
      )
      .optional(),
    content: z.string().optional(),
    truncated: z.boolean().optional(),
    diff: z.string().optional(),
    nextCursor: z.string().optional(),
  }),
})

/** The inventory of attachments. */
export const listAttachments = defineTool({
  name: 'list_attachments',
  title: 'List attachments',
  description: 'List the files of a vault that are not notes.',
  effect: 'reads',
  idempotent: true,
  input: z.object({
    vaultId: vaultIdArgument,
    limit: z.int().min(1).max(1000).default(500),
    cursor: fileCursor,
  }),
  output: z.object({ attachments: z.array(Attachment), nextCursor: z.string().optional() }),
})

/** An attachment for a model: text as text, a picture as a picture, anything else as bytes. */
export const readAttachment = defineTool({
  name: 'read_attachment',
  title: 'Read an attachment',
  description: 'Read a file that is not a note, up to 1 MB: text, a picture, or base64.',
  effect: 'reads',
  idempotent: true,
  input: z.object({ vaultId: vaultIdArgument, path: pathArgument }),
  output: Attachment.extend({ baseline: z.string(), text: z.string().optional() }),
})

/** Stores bytes. Replaces an existing file only for a caller that has seen it. */
export const writeAttachment = defineTool({
  name: 'write_attachment',
  title: 'Write an attachment',
  description: 'Store a file that is not a note, up to 700 KB. To replace one, pass its baseline from read_attachment.',
  effect: 'changes',
  idempotent: false,
  input: z.object({
    vaultId: vaultIdArgument,
    path: pathArgument,
    data: text()
      .max(Math.ceil(attachmentLimits.write / 3) * 4)
      .describe('base64'),
    baseline: text().optional(),
  }),
  output: z.object({ path: z.string(), baseline: z.string(), size: z.int(), created: z.boolean() }),
})
