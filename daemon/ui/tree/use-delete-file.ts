import { useCallback } from 'react'
import type { TreeNode } from '../api/daemon-client.ts'
import { useServices } from '../app/services.ts'
import type { OpenVault } from '../vaults/vault-context.ts'

/** Deletes a file or folder, and returns whether it did. The code for this is loaded with the first deletion. */
export function useDeleteFile({ vault, sessions, tabs, refreshTree, announce }: OpenVault) {
  const { client, navigation } = useServices()

  return useCallback(
    async (file: Pick<TreeNode, 'kind' | 'path'>) => {
      const { deleteFile } = await import('./delete-file.ts')
      return deleteFile({ client, navigation, vault, sessions, tabs, refreshTree, announce }, file)
    },
    [client, navigation, vault, sessions, tabs, refreshTree, announce],
  )
}
