import type { z } from 'zod'
import type { VaultInfo } from '@svc/shared/wire/daemon.api.ts'
import { vaultUsage } from '../storage/storage-usage.ts'
import type { Vault } from './vault.ts'

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
    }
  }
}
