import type { z } from 'zod'
import type { VaultInfo } from '@svc/shared/wire/daemon/daemon.api.ts'
import { vaultUsage } from './storage-usage.ts'
import { unreadFilesOf } from '../vaults/reading/unread-files.ts'
import type { Vault } from '../vaults/vault.ts'
import { slices } from '../watch/slices.ts'

const MAX_UNPARSED = 20

type VaultInfoView = z.infer<typeof VaultInfo>['vault']

type Deps = {
  settings: VaultInfoView['settings']
  indexOf(vault: Vault): { size(): number }
  historyOf(vault: Vault): { state(): VaultInfoView['history']['state'] }
}

/** Returns the information on a vault for REST and MCP. */
export type DescribeVault = (vault: Vault) => Promise<VaultInfoView>

/** Describes vaults from their manifest, index, history and settings. */
export function createVaultInfo({ settings, indexOf, historyOf }: Deps): DescribeVault {
  return async (vault) => {
    const { usedBytes } = await vaultUsage(vault)
    const { notes, attachments, unparsed } = await countFiles(vault)
    const unread = unreadFilesOf(vault)
    return {
      id: vault.id,
      displayName: vault.displayName,
      identity: vault.identity,
      createdAt: vault.createdAt,
      notes,
      attachments,
      bytes: usedBytes,
      index: { state: vault.isIndexed() ? 'ready' : 'loading', notes: indexOf(vault).size() },
      history: { state: historyOf(vault).state() },
      settings,
      unparsed,
      ...(vault.away().length > 0 && { unreachable: [...vault.away()] }),
      ...(unread && { unread }),
    }
  }
}

async function countFiles(vault: Vault) {
  const counts = { notes: 0, attachments: 0 }
  // Notes that are served as plain text. The list is limited to the first ones.
  const unparsed: VaultInfoView['unparsed'] = { count: 0, notes: [] }
  const pause = slices()
  for (const { path, facts } of vault.manifest.files()) {
    counts[facts?.kind === 'attachment' ? 'attachments' : 'notes']++
    if (facts?.kind === 'note' && facts.problem !== undefined && unparsed.count++ < MAX_UNPARSED)
      unparsed.notes.push({ path, problem: facts.problem })
    await pause()
  }
  return { ...counts, unparsed }
}
