import { z } from 'zod'
import { AuditEntry } from './daemon-audit.api.ts'
import { HistoryStates } from './daemon-history.api.ts'
import { OutgoingLink } from './daemon-links.api.ts'
import { vaultActivity } from './daemon-news.api.ts'
import { Slug } from '../ids.ts'
import { Activity } from './daemon-activity.ts'
import { text } from '../text.ts'
import { Edit } from './note-edit.ts'

/**
 * Request and response schemas of the daemon's REST API. All responses carry `ok: true`; failures are in error-body.ts.
 */

const ok = z.literal(true)

/** More vaults than any daemon serves: readers of a daemon that they do not trust limit what a list costs them. */
export const MAX_LISTED_VAULTS = 10_000

export const VaultParams = z.object({ vaultId: text().min(1).max(255) })
export const NoteParams = VaultParams.extend({ '*': text().min(1) })

/** Why a note could not be fully parsed. It is served as plain text, without the parts that could not be read. */
export const NoteProblem = z.enum([
  'too_long',
  'too_deep',
  'too_many_keys',
  'too_many_aliases',
  'key_not_scalar',
  'value_too_large',
  'invalid',
  'took_too_long',
])
export type NoteProblem = z.infer<typeof NoteProblem>

export const VaultSummary = z.object({ id: z.string(), displayName: z.string() })
/** A vault in a list: its size, its newest change, and by author how many notes the caller has yet to read. */
export const ListedVault = VaultSummary.extend(vaultActivity)
export const VaultList = z.object({ ok, vaults: z.array(ListedVault).max(MAX_LISTED_VAULTS) })
export const CreateVaultRequest = z.strictObject({ displayName: text().trim().min(1).max(200), slug: Slug })
export const VaultCreated = z.object({ ok, vault: VaultSummary })
/** Files and folders that could not be read yet, limited to the first ones. The daemon tries them again. */
export const UnreadFiles = z.object({ count: z.int(), paths: z.array(z.string()) })
export type UnreadFiles = z.infer<typeof UnreadFiles>
export const VaultInfo = z.object({
  ok,
  vault: VaultSummary.extend({
    identity: z.string(),
    createdAt: z.string(),
    notes: z.number().int(),
    attachments: z.number().int(),
    bytes: z.number().int(),
    index: z.object({ state: z.enum(['loading', 'ready']), notes: z.number().int() }),
    history: z.object({ state: HistoryStates }),
    /** What the daemon accepts here; absent in older versions. */
    settings: z.object({ maxNoteBytes: z.number().int(), maxAttachmentBytes: z.number().int() }).optional(),
    unparsed: z.object({
      count: z.number().int(),
      notes: z.array(z.object({ path: z.string(), problem: NoteProblem })),
    }),
    /**
     * Folders on a separate disk that is not available. What is known of their files is kept until the disk is back.
     */
    unreachable: z.array(z.string()).optional(),
    unread: UnreadFiles.optional(),
  }),
})

/** One file or folder. Sizes in bytes, `modifiedAt` ISO 8601 UTC; `title` is the first heading of level 1 or the file name. */
export type TreeNode =
  | { kind: 'folder'; name: string; path: string; displayName?: string; children: TreeNode[]; truncated?: boolean }
  | { kind: 'note'; name: string; path: string; size: number; modifiedAt: string; title: string }
  | { kind: 'attachment'; name: string; path: string; size: number; modifiedAt: string }
export const TreeNode: z.ZodType<TreeNode> = z.lazy(() =>
  z.discriminatedUnion('kind', [
    z.object({
      kind: z.literal('folder'),
      name: z.string(),
      path: z.string(),
      displayName: z.string().optional(),
      children: z.array(TreeNode),
      truncated: z.boolean().optional(),
    }),
    z.object({
      kind: z.literal('note'),
      name: z.string(),
      path: z.string(),
      size: z.number(),
      modifiedAt: z.string(),
      title: z.string(),
    }),
    z.object({
      kind: z.literal('attachment'),
      name: z.string(),
      path: z.string(),
      size: z.number(),
      modifiedAt: z.string(),
    }),
  ]),
)
export const TreeQuery = z.object({
  depth: z.coerce.number().int().min(1).max(64).optional(),
  path: text().max(4096).optional(),
})
export const Tree = z.object({
  ok,
  /** The newest change of the vault's change stream that the tree is sure to contain. */
  lastEventId: z.string(),
  tree: z.array(TreeNode),
  /** What the tree may lack, or show from memory; only with the tree of the whole vault. */
  unread: UnreadFiles.optional(),
})

export const Heading = z.object({ level: z.number().int(), text: z.string(), line: z.number().int() })
export const Note = z.object({
  ok,
  note: z.object({
    path: z.string(),
    title: z.string(),
    content: z.string(),
    baseline: z.string(),
    properties: z.record(z.string(), z.unknown()),
    problem: NoteProblem.optional(),
    outline: z.array(Heading),
    size: z.number().int(),
    modifiedAt: z.string(),
    links: z.array(OutgoingLink).optional().describe('The links of the saved text; absent with `links=false`.'),
    backlinks: z.number().int().optional().describe('How many other notes link to this one.'),
    linksPartial: z.boolean().optional().describe('True when not all links are known yet, or some are left out.'),
  }),
})
/**
 * A 304 says that the text is the same. What its links lead to and the notes that link to it may be others, and what was
 * `linksPartial` may be known: read it without If-None-Match, or read the links alone.
 */
export const NoteQuery = z.object({ links: z.enum(['true', 'false']).default('true') })
export const WriteNoteRequest = z.strictObject({ content: text() })
export const NoteWritten = z.object({ ok, note: z.object({ path: z.string(), baseline: z.string() }) })
export const DeleteNoteQuery = z.object({ permanent: z.enum(['true', 'false']).default('false') })
export const NoteDeleted = z.object({ ok, path: z.string(), trashed: z.boolean() })

export const EditNoteRequest = z.strictObject({
  baseline: text(),
  edits: z.array(Edit).min(1).max(20),
  onStale: z.enum(['reject', 'rebase']).default('reject'),
  dryRun: z.boolean().default(false),
})
export const NoteEdited = z.object({
  ok,
  note: z.object({ path: z.string(), baseline: z.string() }),
  diff: z.string(),
  matched: z.array(z.string()),
  dryRun: z.boolean(),
})

export const SearchQuery = z.object({
  q: text().min(1).max(1000),
  limit: z.coerce.number().int().min(1).max(200).default(20),
  cursor: text().max(200).optional(),
})
export const SearchHit = z.object({
  path: z.string(),
  title: z.string(),
  score: z.number(),
  snippets: z.array(
    z.object({
      line: z.number().int(),
      text: z.string(),
      highlights: z.array(z.tuple([z.number().int(), z.number().int()])),
    }),
  ),
})
export const SearchResult = z.object({
  ok,
  hits: z.array(SearchHit),
  total: z.number().int(),
  partial: z.boolean(),
  nextCursor: z.string().optional(),
})

export const FlushResult = z.object({
  ok,
  flushed: z.number().int(),
  durableAsOf: z.iso.datetime(),
  activity: Activity.optional().describe('Activity after the flush; of the whole daemon.'),
})
export const StorageUsage = z.object({
  ok,
  storage: z.object({
    usedBytes: z.number().int(),
    freeBytes: z.number().int(),
    byKind: z.object({ notes: z.number().int(), attachments: z.number().int(), other: z.number().int() }),
    /** Vaults whose folder could not be listed: of their files, only those that are known are counted. */
    unlisted: z.array(z.string()).optional(),
  }),
})

export const Attachment = z.object({
  path: z.string(),
  size: z.number().int(),
  modifiedAt: z.string(),
  contentType: z.string(),
})
export const AttachmentList = z.object({ ok, attachments: z.array(Attachment) })
export const AttachmentWritten = z.object({ ok, attachment: Attachment.extend({ baseline: z.string() }) })

export const AuditList = z.object({ ok, entries: z.array(AuditEntry) })

export const DaemonHealth = z.object({
  ok,
  service: z.literal('svcd'),
  status: z.object({
    serviceName: z.string(),
    svcHome: z.string(),
    statusFile: z.string(),
    /** Directories below `vaults/` that are not served, with the reasons. */
    refusedVaults: z.array(z.object({ name: z.string(), reason: z.string() })).optional(),
  }),
})
export const Readiness = z.object({ ok: z.boolean() })
export const RelayStatus = z.object({
  ok,
  relay: z.object({
    configured: z.boolean(),
    started: z.boolean(),
    controlConnected: z.boolean(),
    reconnectScheduled: z.boolean(),
  }),
})
/** One change in a vault, as sent by `GET /vaults/:id/events`; `outside` is a program that wrote the file itself. */
export const ChangeEvent = z.object({
  kind: z.enum(['created', 'changed', 'deleted']),
  what: z.enum(['note', 'attachment', 'folder']),
  path: z.string(),
  baseline: z.string().optional(),
  origin: z.enum(['api', 'outside']),
  actor: z.string().optional(),
})
export type ChangeEvent = z.infer<typeof ChangeEvent>

export const FolderMade = z.object({ ok, folder: z.object({ path: z.string() }) })
export const FolderDeleted = z.object({ ok, path: z.string(), trashed: z.literal(true) })

export const AuditQuery = z.object({
  limit: z.coerce.number().int().min(1).max(1000).default(100),
  actor: z.string().max(200).optional().describe('Only entries of this actor; `mcp_client` is every agent.'),
})
