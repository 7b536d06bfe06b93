import { z } from 'zod'
import { text } from '@svc/shared/wire/text.ts'
import type { SaveNote } from '../../notes/save-note.ts'
import { parseVaultPath } from '../../files/vault-path.ts'
import type { VaultRegistry } from '../../vaults/vault-registry.ts'
import { pathArgument, vaultIdArgument } from '../tool-arguments.ts'
import { defineTool } from '../tool.ts'

/** Makes a note where none is. */
export const createNoteTool = ({ registry, saveNote }: { registry: VaultRegistry; saveNote: SaveNote }) =>
  defineTool({
    name: 'create_note',
    title: 'Create a note',
    description:
      'Create a note with its folders. Never overwrites: an existing path fails with note_exists; use edit_note.',
    effect: 'adds',
    input: z.object({ vaultId: vaultIdArgument, path: pathArgument, content: text() }),
    output: z.object({ path: z.string(), baseline: z.string() }),
    async run({ vaultId, path, content }, by) {
      const { baseline, path: stored } = await saveNote({
        vault: registry.find(vaultId),
        path: parseVaultPath(path),
        content,
        expect: { kind: 'absent' },
        by,
        tool: 'create_note',
      })
      return { path: stored, baseline }
    },
  })
