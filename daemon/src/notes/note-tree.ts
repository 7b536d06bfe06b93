import type { TreeNode } from '@svc/shared/wire/daemon/daemon.api.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { folderSettings, type FolderSetting } from '../folders/folder-settings.ts'
import type { RunNoteJob } from '../note-jobs/run-note-job.ts'
import type { Vault } from '../vaults/vault.ts'
import { join } from '../watch/folder-names.ts'
import type { KnownFile } from '../watch/remembered.ts'

const FOREVER = Number.POSITIVE_INFINITY
const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })

/** The files and folders of a vault below `path`, folders first, to a depth; deeper folders are `truncated`. */
export type NoteTree = (
  vault: Vault,
  range: { path?: string | undefined; depth?: number | undefined },
) => Promise<TreeNode[]>

/** Reads the tree from what is known; notes that have not been read yet are read for their title. */
export function createNoteTree({ runNoteJob }: { runNoteJob: RunNoteJob }): NoteTree {
  return async (vault, { path = '', depth = FOREVER }) => {
    await vault.listed
    if (!vault.manifest.hasFolder(path)) throw fail('not_found')
    return folderNodes({ vault, settings: await folderSettings(vault, runNoteJob) }, path, depth)
  }
}

type Source = { vault: Vault; settings: ReadonlyMap<string, FolderSetting> }

async function folderNodes(source: Source, folder: string, depth: number): Promise<TreeNode[]> {
  const { vault, settings } = source
  const folders: TreeNode[] = []
  const files: TreeNode[] = []

  for (const name of vault.manifest.children(folder)) {
    const path = join(folder, name)
    const file = vault.manifest.file(path)
    if (file) files.push(await fileNode(vault, file, name))
    else if (vault.manifest.hasFolder(path)) {
      const hidden = depth <= 1 && !vault.manifest.isEmpty(path)
      const children = depth <= 1 ? [] : await folderNodes(source, path, depth - 1)
      const displayName = settings.get(path)?.displayName
      const shown = displayName === undefined ? {} : { displayName }
      folders.push({ kind: 'folder', name, path, ...shown, children, ...(hidden ? { truncated: true } : {}) })
    }
  }
  const byName = (a: TreeNode, b: TreeNode) => collator.compare(a.name, b.name) || (a.name < b.name ? -1 : 1)
  const orderOf = ({ path }: TreeNode) => settings.get(path)?.order ?? Number.MAX_VALUE
  const byOrder = (a: TreeNode, b: TreeNode) => orderOf(a) - orderOf(b) || byName(a, b)
  return [...folders.sort(byOrder), ...files.sort(byName)]
}

async function fileNode(vault: Vault, file: KnownFile, name: string): Promise<TreeNode> {
  if (!file.facts) await vault.recheck(file.path)
  const { path, stamp, facts } = vault.manifest.file(file.path) ?? file
  const common = { name, path, size: stamp.size, modifiedAt: new Date(stamp.mtimeMs).toISOString() }
  return facts?.kind === 'note' ? { kind: 'note', ...common, title: facts.title } : { kind: 'attachment', ...common }
}
