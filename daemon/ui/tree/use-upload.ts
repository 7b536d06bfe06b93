import { useCallback } from 'react'
import { useServices } from '../app/services.ts'
import { useVault } from '../vaults/vault-context.ts'

/** Uploads files of this device into a folder of the vault. The code for this is loaded with the first files. */
export function useUpload() {
  const { client } = useServices()
  const { vault, refreshTree, announce } = useVault()

  return useCallback(
    async (folder: string, files: readonly File[]) => {
      const { upload } = await import('./upload.ts')
      await upload({ client, vault, refreshTree, announce }, { folder, files })
    },
    [client, vault, refreshTree, announce],
  )
}
