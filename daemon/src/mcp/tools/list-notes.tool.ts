import { z } from 'zod'
import { fail } from '@svc/shared/wire/errors.ts'
import type { NoteTree } from '../../notes/note-tree.ts'
import type { TreeNode } from '@svc/shared/wire/daemon/daemon.api.ts'
import { text } from '@svc/shared/wire/text.ts'
import { parseVaultPath } from '../../files/vault-path.ts'
import type { VaultRegistry } from '../../vaults/vault-registry.ts'
import { vaultIdArgument } from '../tool-arguments.ts'
import { defineTool } from '../tool.ts'

type Deps = { registry: VaultRegistry; noteTree: NoteTree }

/** All notes of a vault or folder as a flat list, page by page. */
export const listNotesTool = ({ registry, noteTree }: Deps) =>
  defineTool({
    name: 'list_notes',
    title: 'List notes',
    description: 'List notes by path. To find notes about something, use search_notes.',
    effect: 'reads',
    input: z.object({
      vaultId: vaultIdArgument,
      folder: text().default('').describe('Only below this folder'),
      limit: z.int().min(1).max(1000).default(200),
      cursor: text().optional().describe('nextCursor of the previous page'),
    }),
    output: z.object({
      notes: z.array(z.object({ path: z.string(), title: z.string(), size: z.int(), modifiedAt: z.string() })),
      total: z.int(),
      nextCursor: z.string().optional(),
    }),
    async run({ vaultId, folder, limit, cursor }) {
      const path = withoutEndSlashes(folder)
      const tree = await noteTree(registry.find(vaultId), { path: path === '' ? undefined : parseVaultPath(path) })
      const notes = flatten(tree)
      const from = cursor === undefined ? 0 : Number(cursor)
      if (!Number.isInteger(from) || from < 0)
        throw fail('invalid_request', [{ path: 'cursor', message: 'is not a cursor of this list' }])
      const next = from + limit < notes.length ? { nextCursor: String(from + limit) } : {}
      return { notes: notes.slice(from, from + limit), total: notes.length, ...next }
    },
  })

function withoutEndSlashes(folder: string): string {
  let end = folder.length
  while (folder[end - 1] === '/') end--
  return folder.slice(0, end)
}

function flatten(nodes: readonly TreeNode[]): { path: string; title: string; size: number; modifiedAt: string }[] {
  return nodes.flatMap((node) => {
    if (node.kind === 'folder') return flatten(node.children)
    if (node.kind === 'attachment') return []
    const { path, title, size, modifiedAt } = node
    return [{ path, title, size, modifiedAt }]
  })
}
