import { deleteNote } from '@svc/shared/wire/mcp/note-tools.ts'
import { parseVaultPath } from '../../files/vault-path.ts'
import type { DeleteNote } from '../../notes/delete-note.ts'
import type { VaultRegistry } from '../../vaults/vault-registry.ts'
import { makeTool } from '../tool.ts'

/** Removes a note, to the trash unless requested otherwise. */
export const deleteNoteTool = ({ registry, deleteNote: remove }: { registry: VaultRegistry; deleteNote: DeleteNote }) =>
  makeTool(deleteNote, ({ vaultId, path, permanent, baseline }, { by }) => {
    const deletion = { vault: registry.find(vaultId), path: parseVaultPath(path), baseline, by, tool: 'delete_note' }
    return permanent ? remove.forGood(deletion) : remove.toTrash(deletion)
  })
