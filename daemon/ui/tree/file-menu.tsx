import type { TreeNode } from '../api/daemon-client.ts'
import { copyText } from '../app/copy-text.ts'
import { formatRoute } from '../app/route.ts'
import { folderOf } from '../links/resolve-link.ts'
import { useVault } from '../vaults/vault-context.ts'
import { chooseFiles } from './choose-files.ts'
import { TreeMenu, type TreeMenuItem } from './tree-menu.tsx'
import { useDeleteFile } from './use-delete-file.ts'
import { useUpload } from './use-upload.ts'

type Props = { node: TreeNode | undefined; at: { x: number; y: number }; onClose: () => void }

/** The menu of a file or folder of the tree; without one, that of the vault. */
export default function FileMenu({ node, at, onClose }: Props) {
  const openVault = useVault()
  const { vault, open, openTab, show, announce } = openVault
  const upload = useUpload()
  const deleteFile = useDeleteFile(openVault)

  const folder = node === undefined ? '' : node.kind === 'folder' ? node.path : folderOf(node.path)
  const own: TreeMenuItem[] =
    node === undefined
      ? []
      : [
          { title: 'Rename or move', keys: 'F2', run: () => show({ move: node.path }) },
          { title: 'Delete', keys: 'Del', run: () => void deleteFile(node) },
        ]
  const copy = (path: string) =>
    copyText(new URL(formatRoute({ vaultId: vault.id, path }), location.href).href, announce)
  const file: TreeMenuItem[] =
    node === undefined || node.kind === 'folder'
      ? []
      : [
          { title: 'Open', run: () => open(node.path) },
          { title: 'Open in a new tab', keys: 'Ctrl Enter', run: () => openTab({ path: node.path }, 'shown') },
          { title: 'Copy link', run: () => void copy(node.path) },
        ]
  const items: TreeMenuItem[] = [
    ...file,
    ...own,
    { title: 'New note here', run: () => show({ newNoteIn: folder }) },
    { title: 'New folder here', run: () => show({ newFolderIn: folder }) },
    { title: 'Upload files here', run: () => chooseFiles((files) => void upload(folder, files)) },
  ]
  return <TreeMenu label={node?.name ?? vault.displayName} at={at} items={items} onClose={onClose} />
}
