import type { TreeNode } from '@svc/shared/wire/daemon/daemon.api.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { folderSettings, type FolderSetting } from '../folders/folder-settings.ts'
import { fileTimeText } from '../files/file-date.ts'
import type { RunNoteJob } from '../note-jobs/run-note-job.ts'
import { folderOnDisk } from '../vaults/new-names.ts'
import type { Vault } from '../vaults/vault.ts'
import { join } from '../watch/folder-names.ts'
import type { KnownFile } from '../watch/remembered.ts'
import { slices, type Pause } from '../watch/slices.ts'
import { sortInSlices } from '../watch/sort-in-slices.ts'
import { byName } from './name-order.ts'

const FOREVER = Number.POSITIVE_INFINITY

type Range = {
  path?: string | undefined
  depth?: number | undefined
  /** Folders are in the order of their names, whatever the settings say of them. */
  settings?: 'ignored'
}

/** The files and folders of a vault below `path`, folders first, to a depth; deeper folders are `truncated`. */
export type NoteTree = (vault: Vault, range: Range) => Promise<TreeNode[]>

/** Builds the tree from known facts; notes that have not been read yet are read for their title. */
export function createNoteTree({ runNoteJob }: { runNoteJob: RunNoteJob }): NoteTree {
  return async (vault, { path: asked = '', depth = FOREVER, settings: use }) => {
    await vault.listed
    const path = vault.manifest.hasFolder(asked) ? asked : await folderOnDisk(vault, asked)
    if (!vault.manifest.hasFolder(path)) throw fail('not_found')
    const settings = use === 'ignored' ? new Map<string, never>() : await folderSettings(vault, runNoteJob)
    return folderNodes({ vault, settings, pause: slices() }, path, depth)
  }
}

type Source = { vault: Vault; settings: ReadonlyMap<string, FolderSetting>; pause: Pause }

async function folderNodes(source: Source, folder: string, depth: number): Promise<TreeNode[]> {
  const { vault, settings, pause } = source
  const folders: TreeNode[] = []
  const files: TreeNode[] = []

  for (const name of vault.manifest.children(folder)) {
    await pause()
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
  const orderOf = ({ path }: TreeNode) => settings.get(path)?.order ?? Number.MAX_VALUE
  const byOrder = (a: TreeNode, b: TreeNode) => orderOf(a) - orderOf(b) || byName(a, b)
  const sorted = [await sortInSlices(folders, byOrder, pause), await sortInSlices(files, byName, pause)]
  return sorted.flat()
}

/** A note that nobody has read yet is read for its title. */
async function readFile(vault: Vault, file: KnownFile): Promise<KnownFile> {
  await vault.recheck(file.path)
  return vault.manifest.file(file.path) ?? file
}

async function fileNode(vault: Vault, file: KnownFile, name: string): Promise<TreeNode> {
  const { path, stamp, facts } = file.facts ? file : await readFile(vault, file)
  const common = { name, path, size: stamp.size, modifiedAt: fileTimeText(stamp.mtimeMs) }
  return facts?.kind === 'note' ? { kind: 'note', ...common, title: facts.title } : { kind: 'attachment', ...common }
}
