import { z } from 'zod'
import { SearchHit, VaultSummary } from '../daemon/daemon.api.ts'
import { text } from '../text.ts'
import { fileCursor, offsetCursor, vaultIdArgument } from './tool-arguments.ts'
import { defineTool } from './tool-definition.ts'

/** Tools for a vault as a whole. */

/** The only way to learn the ids that every other tool needs. */
export const listVaults = defineTool({
  name: 'list_vaults',
  title: 'List vaults',
  description: 'List the vaults of this daemon. Call first: every other tool needs a vaultId.',
  effect: 'reads',
  idempotent: true,
  input: z.object({}),
  output: z.object({ vaults: z.array(VaultSummary) }),
})

export const vaultInfo = defineTool({
  name: 'vault_info',
  title: 'Vault information',
  description: 'Name, counts, bytes and index state of one vault.',
  effect: 'reads',
  idempotent: true,
  input: z.object({ vaultId: vaultIdArgument }),
  output: z.object({ vault: z.looseObject({ id: z.string() }) }),
})

export const listNotes = defineTool({
  name: 'list_notes',
  title: 'List notes',
  description: 'List notes by path. To find notes about something, use search_notes.',
  effect: 'reads',
  idempotent: true,
  input: z.object({
    vaultId: vaultIdArgument,
    folder: text().max(4096).default('').describe('Only below this folder'),
    limit: z.int().min(1).max(1000).default(200),
    cursor: fileCursor.describe('nextCursor of the previous page'),
  }),
  output: z.object({
    notes: z.array(z.object({ path: z.string(), title: z.string(), size: z.int(), modifiedAt: z.string() })),
    total: z.int(),
    nextCursor: z.string().optional(),
    partial: z.boolean().describe('The vault is still being read'),
  }),
})

/** The search of UI and REST, with lines but without the positions of the words in them. */
export const searchNotes = defineTool({
  name: 'search_notes',
  title: 'Search notes',
  description:
    'Find notes. All words must occur; "phrases", -not, path:, tag:, title:, prop:key=value narrow it. partial: some text is not searched yet; repeat later or narrow.',
  effect: 'reads',
  idempotent: true,
  input: z.object({
    vaultId: vaultIdArgument,
    q: text().min(1).max(1000),
    limit: z.int().min(1).max(100).default(20),
    cursor: offsetCursor,
  }),
  output: z.object({
    hits: z.array(
      SearchHit.pick({ path: true, title: true }).extend({
        snippets: z.array(z.object({ line: z.int(), text: z.string() })),
      }),
    ),
    total: z.int(),
    partial: z.boolean(),
    nextCursor: z.string().optional(),
  }),
})
