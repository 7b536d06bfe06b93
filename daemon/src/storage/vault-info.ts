import type { z } from 'zod'
import type { VaultInfo } from '@svc/shared/wire/daemon.api.ts'
import { vaultUsage } from './storage-usage.ts'
import type { KnownFile } from '../watch/manifest.ts'
import type { Vault } from '../vaults/vault.ts'

const MAX_UNPARSED = 20

type VaultInfoView = z.infer<typeof VaultInfo>['vault']

type Deps = {
  indexOf(vault: Vault): { size(): number }
  historyOf(vault: Vault): { state(): VaultInfoView['history']['state'] }
}

/** Tells of a vault what REST and MCP answer. */
export type DescribeVault = (vault: Vault) => Promise<VaultInfoView>

/** Makes the description of vaults. */
export function vaultInfo({ indexOf, historyOf }: Deps): DescribeVault {
  return async (vault) => {
    const { usedBytes } = await vaultUsage(vault)
    const files = vault.manifest.files()
    const attachments = files.filter(({ facts }) => facts?.kind === 'attachment').length
    return {
      id: vault.id,
      displayName: vault.displayName,
      identity: vault.identity,
      createdAt: vault.createdAt,
      notes: files.length - attachments,
      attachments,
      bytes: usedBytes,
      index: { state: vault.isIndexed() ? 'ready' : 'loading', notes: indexOf(vault).size() },
      history: { state: historyOf(vault).state() },
      unparsed: unparsedNotes(files),
    }
  }
}

/** The notes that are served as plain text; a long list shows its head. */
function unparsedNotes(files: readonly KnownFile[]) {
  const notes = files.flatMap(({ path, facts }) =>
    facts?.kind === 'note' && facts.problem !== undefined ? [{ path, problem: facts.problem }] : [],
  )
  return { count: notes.length, notes: notes.slice(0, MAX_UNPARSED) }
}
