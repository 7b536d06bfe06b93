import { Suspense, useState, type ComponentProps } from 'react'
import { lazyPart } from '../parts/lazy-part.tsx'
import type { TreeNode } from '../api/daemon-client.ts'
import { useVault } from '../vaults/vault-context.ts'
import { isAtOrBelow, pathInFolder } from './moved-path.ts'
import { TreeView } from './tree-view.tsx'
import { useDeleteFile } from './use-delete-file.ts'
import { useUpload } from './use-upload.ts'

const FileMenu = lazyPart(() => import('./file-menu.tsx'))

type Props = Omit<ComponentProps<typeof TreeView>, 'onMenu' | 'onOpenTab' | 'onRename' | 'onDelete' | 'onDropped'>
type Menu = { node: TreeNode | undefined; at: { x: number; y: number } }

/** The tree with the actions on its files: by menu, by key, by dragging. */
export function FileTree(props: Props) {
  const openVault = useVault()
  const { openTab, show } = openVault
  const [menu, setMenu] = useState<Menu>()
  const upload = useUpload()
  const deleteFile = useDeleteFile(openVault)

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
        onDelete={deleteFile}
        onDropped={dropped}
      />
      {menu && (
        <Suspense>
          <FileMenu
            key={`${menu.node?.path} ${menu.at.x} ${menu.at.y}`}
            node={menu.node}
            at={menu.at}
            onClose={() => setMenu(undefined)}
          />
        </Suspense>
      )}
    </>
  )
}
