import { Suspense, useRef, useState, type ComponentProps } from 'react'
import { lazyPart } from '../parts/lazy-part.tsx'
import type { TreeNode } from '../api/daemon-client.ts'
import { formatRoute } from '../app/route.ts'
import { folderOf } from '../links/resolve-link.ts'
import { useVault } from '../vaults/vault-context.ts'
import { isAtOrBelow, pathInFolder } from './moved-path.ts'
import type { TreeMenuItem } from './tree-menu.tsx'
import { TreeView } from './tree-view.tsx'
import { useDeleteFile } from './use-delete-file.ts'
import { useUpload } from './use-upload.ts'

const TreeMenu = lazyPart(() => import('./tree-menu.tsx'))

type Props = Omit<ComponentProps<typeof TreeView>, 'onMenu' | 'onOpenTab' | 'onRename' | 'onDelete' | 'onDropped'>
type Menu = { node: TreeNode | undefined; at: { x: number; y: number } }

/** The tree with the actions on its files: by menu, by key, by dragging. */
export function FileTree(props: Props) {
  const openVault = useVault()
  const { vault, open, openTab, show, announce } = openVault
  const [menu, setMenu] = useState<Menu>()
  const chooser = useRef<HTMLInputElement>(null)
  const chosenFolder = useRef('')
  const upload = useUpload()
  const deleteFile = useDeleteFile(openVault)

  const itemsOf = (node: TreeNode | undefined): TreeMenuItem[] => {
    const folder = node === undefined ? '' : node.kind === 'folder' ? node.path : folderOf(node.path)
    const own: TreeMenuItem[] =
      node === undefined
        ? []
        : [
            { title: 'Rename or move', keys: 'F2', run: () => show({ move: node.path }) },
            { title: 'Delete', keys: 'Del', run: () => void deleteFile(node) },
          ]
    const copy = async (path: string) => {
      await navigator.clipboard.writeText(new URL(formatRoute({ vaultId: vault.id, path }), location.href).href)
      announce('Copied the link')
    }
    const file: TreeMenuItem[] =
      node === undefined || node.kind === 'folder'
        ? []
        : [
            { title: 'Open', run: () => open(node.path) },
            { title: 'Open in a new tab', keys: 'Ctrl Enter', run: () => openTab({ path: node.path }, 'shown') },
            { title: 'Copy link', run: () => void copy(node.path) },
          ]
    return [
      ...file,
      ...own,
      { title: 'New note here', run: () => show({ newNoteIn: folder }) },
      { title: 'New folder here', run: () => show({ newFolderIn: folder }) },
      {
        title: 'Upload files here',
        run: () => {
          chosenFolder.current = folder
          chooser.current?.click()
        },
      },
    ]
  }

  const dropped = (folder: string, what: string | readonly File[]) => {
    if (typeof what !== 'string') return void upload(folder, what)
    if (isAtOrBelow(folder, what) || pathInFolder(what, folder) === what) return
    show({ move: what, to: pathInFolder(what, folder) })
  }

  return (
    <>
      <TreeView
        {...props}
        onOpenTab={(path) => openTab({ path }, 'shown')}
        onMenu={(node, at) => setMenu({ node, at })}
        onRename={(path) => show({ move: path })}
        onDelete={(node) => void deleteFile(node)}
        onDropped={dropped}
      />
      {menu && (
        <Suspense>
          <TreeMenu
            key={`${menu.node?.path} ${menu.at.x} ${menu.at.y}`}
            label={menu.node?.name ?? vault.displayName}
            at={menu.at}
            items={itemsOf(menu.node)}
            onClose={() => setMenu(undefined)}
          />
        </Suspense>
      )}
      <input
        ref={chooser}
        type="file"
        multiple
        hidden
        aria-label="Files to upload"
        onChange={(event) => {
          void upload(chosenFolder.current, [...(event.target.files ?? [])])
          event.target.value = ''
        }}
      />
    </>
  )
}
