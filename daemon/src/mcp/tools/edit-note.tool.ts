import { EditNoteRequest } from '@svc/shared/wire/daemon/daemon.api.ts'
import { parseOrFail } from '@svc/shared/wire/error-body.ts'
import { editNote } from '@svc/shared/wire/mcp/note-tools.ts'
import { parseVaultPath } from '../../files/vault-path.ts'
import type { EditNote } from '../../notes/edit-note.ts'
import type { VaultRegistry } from '../../vaults/vault-registry.ts'
import { makeTool } from '../tool.ts'

/** Changes passages of a note with the verb that REST uses. */
export const editNoteTool = ({ registry, editNote: edit }: { registry: VaultRegistry; editNote: EditNote }) =>
  makeTool(editNote, async ({ vaultId, path, ...request }, { by }) => {
    const wish = parseOrFail(EditNoteRequest, request)
    const vault = registry.find(vaultId)
    return edit({ vault, path: parseVaultPath(path), ...wish, by, tool: 'edit_note' })
  })
