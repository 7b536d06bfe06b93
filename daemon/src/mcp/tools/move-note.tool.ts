import { moveNote } from '@svc/shared/wire/mcp/file-tools.ts'
import { parseVaultPath } from '../../files/vault-path.ts'
import { withFieldNames } from '../../http/field-names.ts'
import type { MoveInVault } from '../../moves/move-in-vault.ts'
import type { VaultRegistry } from '../../vaults/vault-registry.ts'
import { makeTool } from '../tool.ts'

/** Moves or renames a note, attachment or folder. */
export const moveNoteTool = ({ registry, moves }: { registry: VaultRegistry; moves: MoveInVault }) =>
  makeTool(moveNote, async ({ vaultId, path, newPath, dryRun }, { by }) => {
    const wish = {
      vault: registry.find(vaultId),
      from: parseVaultPath(path),
      to: newPath,
      links: 'rewritten',
      by,
    } as const
    const moved = await withFieldNames({ to: 'newPath' }, () => (dryRun ? moves.plan(wish) : moves.move(wish)))
    const notes = moved.notes.map(({ path: note, baseline, links }) => ({ path: note, baseline, links }))
    return { path: moved.to, dryRun, notesTotal: moved.notesTotal, notes }
  })
