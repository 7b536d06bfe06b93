import { z } from 'zod'
import { MovedNote } from '@svc/shared/wire/daemon/daemon-moves.api.ts'
import { text } from '@svc/shared/wire/text.ts'
import { parseVaultPath } from '../../files/vault-path.ts'
import type { MoveInVault } from '../../moves/move-in-vault.ts'
import type { VaultRegistry } from '../../vaults/vault-registry.ts'
import { pathArgument, vaultIdArgument } from '../tool-arguments.ts'
import { defineTool } from '../tool.ts'

/** Moves or renames what an agent knows by path; the links to it follow. */
export const moveNoteTool = ({ registry, moves }: { registry: VaultRegistry; moves: MoveInVault }) =>
  defineTool({
    name: 'move_note',
    title: 'Move or rename',
    description: 'Move or rename a note, attachment or folder; links in all notes follow. Tells which notes changed.',
    effect: 'changes',
    input: z.object({
      vaultId: vaultIdArgument,
      path: pathArgument,
      newPath: text().min(1).describe('Must be free'),
      dryRun: z.boolean().default(false),
    }),
    output: z.object({
      path: z.string(),
      dryRun: z.boolean(),
      notesTotal: z.int(),
      notes: z.array(MovedNote.pick({ path: true, baseline: true, links: true })),
    }),
    async run({ vaultId, path, newPath, dryRun }, by) {
      const wish = { vault: registry.find(vaultId), from: parseVaultPath(path), to: newPath, links: 'rewritten', by } as const // prettier-ignore
      const moved = dryRun ? await moves.plan(wish) : await moves.move(wish)
      const notes = moved.notes.map(({ path: note, baseline, links }) => ({ path: note, baseline, links }))
      return { path: moved.to, dryRun, notesTotal: moved.notesTotal, notes }
    },
  })
