import { createNote } from '@svc/shared/wire/mcp/note-tools.ts'
import { parseVaultPath } from '../../files/vault-path.ts'
import type { SaveNote } from '../../notes/save-note.ts'
import type { VaultRegistry } from '../../vaults/vault-registry.ts'
import { makeTool } from '../tool.ts'

/** Creates a note where there is none. */
export const createNoteTool = ({ registry, saveNote }: { registry: VaultRegistry; saveNote: SaveNote }) =>
  makeTool(createNote, async ({ vaultId, path, content }, { by }) => {
    const { baseline, path: stored } = await saveNote({
      vault: registry.find(vaultId),
      path: parseVaultPath(path),
      content,
      expect: { kind: 'absent' },
      by,
      tool: 'create_note',
    })
    return { path: stored, baseline }
  })
