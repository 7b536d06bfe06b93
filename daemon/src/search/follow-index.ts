import { perVault, type PerVault, type VaultFollower } from '../vaults/vault-change.ts'
import { searchIndex, type SearchIndex } from './search-index.ts'

/** Keeps the search index of every vault. */
export function followIndex(): PerVault<SearchIndex & VaultFollower> {
  return perVault(() => {
    const index = searchIndex()
    return {
      ...index,
      changed(change) {
        if (change.kind === 'folder_created' || change.kind === 'folder_deleted') return
        if (change.kind === 'deleted' || !('text' in change.content)) index.remove(change.path)
        else index.put(change.path, change.content.facts, change.content.text)
      },
    }
  })
}
