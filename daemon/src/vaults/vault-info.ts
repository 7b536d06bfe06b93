import type { z } from 'zod'
import type { VaultInfo } from '@svc/shared/wire/daemon.api.ts'
import { vaultUsage } from '../storage/storage-usage.ts'
import type { Vault } from './vault.ts'

/** What is told of a vault by REST and MCP. */
export async function vaultInfo(vault: Vault): Promise<z.infer<typeof VaultInfo>['vault']> {
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
    index: { state: vault.isIndexed() ? 'ready' : 'loading', notes: vault.index.size() },
    history: { state: vault.history.state() },
  }
}
