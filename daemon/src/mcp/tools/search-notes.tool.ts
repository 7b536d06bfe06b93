import { searchNotes } from '@svc/shared/wire/mcp/vault-tools.ts'
import type { SearchNotes } from '../../search/search-notes.ts'
import type { VaultRegistry } from '../../vaults/vault-registry.ts'
import { makeTool } from '../tool.ts'

type Deps = { registry: VaultRegistry; searchNotes: SearchNotes }

/** The search of UI and REST. A model needs the lines, not the positions of the words in them. */
export const searchNotesTool = ({ registry, searchNotes: search }: Deps) =>
  makeTool(searchNotes, async ({ vaultId, ...request }, { signal }) => {
    const { hits, ...rest } = await search(registry.find(vaultId), { ...request, signal })
    const lines = hits.map(({ path, title, snippets }) => ({
      path,
      title,
      snippets: snippets.map(({ line, text }) => ({ line, text })),
    }))
    return { hits: lines, ...rest }
  })
