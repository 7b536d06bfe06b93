import { asRefusal } from '../api/refusal.ts'
import type { TreeNode } from '../api/daemon-client.ts'
import { failureText } from '../app/failure-text.ts'
import type { Services } from '../app/services.ts'
import { withoutExtension } from '../links/link-index.ts'
import type { OpenVault } from '../vaults/vault-context.ts'

// Others may have deleted something since.
const LATEST = 200

type File = Pick<TreeNode, 'kind' | 'path'>

type Deps = Pick<Services, 'client' | 'navigation'> &
  Pick<OpenVault, 'vault' | 'sessions' | 'tabs' | 'refreshTree' | 'announce'>

/**
 * Deletes a file or folder at once; it moves to the trash, and Undo restores it. Unsaved text prevents the deletion.
 * Returns whether it was deleted.
 */
export async function deleteFile(deps: Deps, { kind, path }: File): Promise<boolean> {
  const { client, navigation, vault, sessions, tabs, refreshTree, announce } = deps
  const ref = { vaultId: vault.id, path }
  const name = withoutExtension(path.split('/').at(-1)!)
  const session = sessions.find(path)
  if (session?.hasUnsent()) {
    announce(`“${name}” has text that is not saved yet. Save it, then delete it.`)
    return false
  }
  try {
    if (kind === 'folder') await client.trashFolder(ref)
    else if (kind === 'attachment') await client.trashAttachment(ref)
    else {
      const { baseline } = await client.readNote(ref)
      await client.trashNote(ref, baseline)
    }
    sessions.drop(path)
    refreshTree()
    tabs.deleted(path)
    announce(`Deleted “${name}”`, () => void undo())
    return true
  } catch (thrown) {
    const refusal = asRefusal(thrown)
    announce(
      refusal.code === 'stale_doc'
        ? `“${name}” was changed in the meantime. Look at it again before you delete it.`
        : failureText(refusal).title,
    )
    return false
  }

  async function undo() {
    try {
      const { entries } = await client.listTrash(vault.id, { limit: LATEST })
      const entry = entries.find((candidate) => candidate.path === path)
      if (!entry) return announce('It is not among the deleted notes any more.')
      const restored = await client.restoreTrash(vault.id, entry.id)
      if (kind !== 'folder') navigation.open({ vaultId: vault.id, path: restored })
      refreshTree()
    } catch (thrown) {
      announce(failureText(asRefusal(thrown)).title)
    }
  }
}
