import { z } from 'zod'
import { text } from '@svc/shared/wire/text.ts'
import type { DeleteNote } from '../../notes/delete-note.ts'
import { parseVaultPath } from '../../files/vault-path.ts'
import type { VaultRegistry } from '../../vaults/vault-registry.ts'
import { pathArgument, vaultIdArgument } from '../tool-arguments.ts'
import { defineTool } from '../tool.ts'

/** Removes a note, to the trash unless told otherwise. */
export const deleteNoteTool = ({ registry, deleteNote }: { registry: VaultRegistry; deleteNote: DeleteNote }) =>
  defineTool({
    name: 'delete_note',
    title: 'Delete a note',
    description: 'Move a note to the trash, or remove it for good with permanent: true.',
    effect: 'removes',
    input: z.object({
      vaultId: vaultIdArgument,
      path: pathArgument,
      permanent: z.boolean().default(false),
      baseline: text().optional().describe('Refuse with stale_doc if the note is not this version'),
    }),
    output: z.object({ path: z.string(), trashed: z.boolean() }),
    run({ vaultId, path, permanent, baseline }, by) {
      const deletion = { vault: registry.find(vaultId), path: parseVaultPath(path), baseline, by, tool: 'delete_note' }
      return permanent ? deleteNote.forGood(deletion) : deleteNote.toTrash(deletion)
    },
  })
