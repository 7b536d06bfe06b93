import { useCallback } from 'react'
import { asRefusal } from '../api/refusal.ts'
import { failureText } from '../app/failure-text.ts'
import { useServices } from '../app/services.ts'
import { withoutExtension } from '../links/link-index.ts'
import type { OpenVault } from '../vaults/vault-context.ts'

/** Deletes a note at once; it lies among the deleted notes, and Undo brings it back. Text that is not saved stops it. */
export function useDeleteNote({ vault, sessions, refreshTree, announce }: OpenVault) {
  const { client, navigation } = useServices()

  return useCallback(
    async (path: string) => {
      const ref = { vaultId: vault.id, path }
      const name = withoutExtension(path.split('/').at(-1)!)
      const session = sessions.find(path)
      if (session?.hasUnsent()) return announce(`“${name}” has text that is not saved yet. Save it, then delete it.`)
      try {
        const { baseline } = await client.readNote(ref)
        await client.trashNote(ref, baseline)
        sessions.drop(path)
        refreshTree()
        navigation.replace({ vaultId: vault.id })
        announce(`Deleted “${name}”`, () => void undo())
      } catch (thrown) {
        const refusal = asRefusal(thrown)
        announce(
          refusal.code === 'stale_doc'
            ? `“${name}” was changed in the meantime. Look at it again before you delete it.`
            : failureText(refusal).title,
        )
      }

      async function undo() {
        try {
          const entries = await client.listTrash(vault.id)
          const entry = entries.find((candidate) => candidate.path === path)
          if (!entry) return announce('It is not among the deleted notes any more.')
          navigation.open({ vaultId: vault.id, path: await client.restoreTrash(vault.id, entry.id) })
          refreshTree()
        } catch (thrown) {
          announce(failureText(asRefusal(thrown)).title)
        }
      }
    },
    [client, navigation, vault.id, sessions, refreshTree, announce],
  )
}
