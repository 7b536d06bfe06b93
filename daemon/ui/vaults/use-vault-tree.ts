import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
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
  const [loaded, reload, value] = useLoaded(`tree ${vaultId}`, (signal) => client.readTree(vaultId, signal))
  const [grown, setGrown] = useState<readonly { path: string; children: TreeNode[] }[]>([])

  const changed = useCallback(() => {
    reload()
    recheckShown()
  }, [reload, recheckShown])

  // Ids of changes: the newest one in the tree, and the one after which a stream begins, until they are compared.
  const newest = useRef<string>(undefined)
  const before = useRef<string>(undefined)
  /** The tree and the stream are requested at the same time, so a change may be in neither. */
  const compare = useCallback(() => {
    if (newest.current === undefined || before.current === undefined) return
    const isWhole = newest.current === before.current
    before.current = undefined
    if (!isWhole) changed()
  }, [changed])

  useEffect(
    () =>
      watchVault({
        url: eventsUrl(vaultId),
        page: document,
        changed,
        begun: (lastEventId) => {
          before.current = lastEventId
          compare()
        },
        awake: retry,
        asleep: pause,
      }),
    [vaultId, changed, compare, retry, pause],
  )

  useEffect(() => {
    newest.current = value?.lastEventId
    compare()
  }, [value, compare])

  const tree = useMemo(
    () => grown.reduce<TreeNode[]>((tree, { path, children }) => withChildren(tree, path, children), value?.tree ?? []),
    [value, grown],
  )
  const isKnown = value !== undefined
  const index = useMemo(() => linkIndex(isKnown ? tree : undefined), [isKnown, tree])
  const isGivenUp = !isKnown && loaded.state === 'refused' && loaded.retryInSeconds === undefined

  /** Loads a folder that the daemon left out of the tree because of its size. */
  const loadFolder = useCallback(
    async (path: string) => {
      const children = await client.readFolder(vaultId, path)
      setGrown((grown) => [...grown.filter((folder) => folder.path !== path), { path, children }])
    },
    [client, vaultId],
  )

  return { loaded, tree, index, treeRefusal: isGivenUp ? loaded.refusal : undefined, reload, loadFolder }
}
