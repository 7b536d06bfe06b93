import { z } from 'zod'
import { SearchHit } from '@svc/shared/wire/daemon/daemon.api.ts'
import { text } from '@svc/shared/wire/text.ts'
import type { SearchNotes } from '../../search/search-notes.ts'
import type { VaultRegistry } from '../../vaults/vault-registry.ts'
import { vaultIdArgument } from '../tool-arguments.ts'
import { defineTool } from '../tool.ts'

/** The search of UI and REST. */
export const searchNotesTool = ({ registry, searchNotes }: { registry: VaultRegistry; searchNotes: SearchNotes }) =>
  defineTool({
    name: 'search_notes',
    title: 'Search notes',
    description: 'Find notes. All words must occur; "phrases", -not, path:, tag:, title:, prop:key=value narrow it.',
    effect: 'reads',
    input: z.object({
      vaultId: vaultIdArgument,
      q: text().min(1).max(1000),
      limit: z.int().min(1).max(100).default(20),
      cursor: text().optional(),
    }),
    output: z.object({
      hits: z.array(
        SearchHit.omit({ snippets: true }).extend({
          snippets: z.array(z.looseObject({ line: z.int(), text: z.string() })),
        }),
      ),
      total: z.int(),
      partial: z.boolean(),
      nextCursor: z.string().optional(),
    }),
    run: ({ vaultId, ...request }) => searchNotes(registry.find(vaultId), request),
  })
