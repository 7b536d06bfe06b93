import { withoutEndSlashes } from '@svc/shared/kit/end-slashes.ts'
import { listNotes } from '@svc/shared/wire/mcp/vault-tools.ts'
import { parseVaultPath } from '../../files/vault-path.ts'
import { withFieldNames } from '../../http/field-names.ts'
import type { NoteTree } from '../../notes/note-tree.ts'
import type { VaultRegistry } from '../../vaults/vault-registry.ts'
import { pageOf } from '../page.ts'
import { makeTool } from '../tool.ts'
import { notesAfter, notesIn } from './notes-after.ts'

type Deps = { registry: VaultRegistry; noteTree: NoteTree }

/** All notes of a vault or folder as a flat list, page by page. */
export const listNotesTool = ({ registry, noteTree }: Deps) =>
  makeTool(listNotes, async ({ vaultId, folder, limit, cursor }) => {
    const vault = registry.find(vaultId)
    const path = withoutEndSlashes(folder)
    const tree = await withFieldNames({ path: 'folder' }, () =>
      noteTree(vault, { path: path === '' ? undefined : parseVaultPath(path), settings: 'ignored' }),
    )
    const notes = notesIn(tree)
    const after = (given: string) => notesAfter(notes, vault.manifest.onDisk(given))
    const { items, nextCursor } = pageOf(notes, { limit, cursor, after })
    return { notes: items, total: notes.length, partial: !vault.isIndexed(), ...nextCursor }
  })
