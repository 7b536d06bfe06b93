import { useCallback, useEffect, useMemo, useState } from 'react'
import { eventsUrl, type TreeNode } from '../api/daemon-client.ts'
import { useLoaded } from '../api/use-loaded.ts'
import { watchVault } from '../api/listen-to-vault.ts'
import { useServices } from '../app/services.ts'
import { linkIndex } from '../links/link-index.ts'
import { withChildren } from '../tree/tree-rows.ts'

type Told = { recheckShown: () => void; retry: () => void; pause: () => void }

/** The vault's tree, kept up to date; the open notes are told of every change, and when the host sleeps and wakes. */
export function useVaultTree(vaultId: string, { recheckShown, retry, pause }: Told) {
  const { client } = useServices()
  const [loaded, reload] = useLoaded(`tree ${vaultId}`, (signal) => client.readTree(vaultId, signal))
  const [grown, setGrown] = useState<readonly { path: string; children: TreeNode[] }[]>([])

  useEffect(
    () =>
      watchVault({
        url: eventsUrl(vaultId),
        page: document,
        changed: () => {
          reload()
          recheckShown()
        },
        awake: retry,
        asleep: pause,
      }),
    [vaultId, reload, recheckShown, retry, pause],
  )

  const value = loaded.state === 'ready' ? loaded.value : undefined
  const tree = useMemo(
    () => grown.reduce<TreeNode[]>((tree, { path, children }) => withChildren(tree, path, children), value ?? []),
    [value, grown],
  )
  const isComing = loaded.state === 'loading'
  const index = useMemo(() => linkIndex(isComing ? undefined : tree), [isComing, tree])

  /** Loads a folder that the daemon left out of the tree because of its size. */
  const loadFolder = useCallback(
    async (path: string) => {
      const children = await client.readFolder(vaultId, path)
      setGrown((grown) => [...grown.filter((folder) => folder.path !== path), { path, children }])
    },
    [client, vaultId],
  )

  return { loaded, tree, index, reload, loadFolder }
}
