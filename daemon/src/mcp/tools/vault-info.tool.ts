import { z } from 'zod'
import type { DescribeVault } from '../../storage/vault-info.ts'
import type { VaultRegistry } from '../../vaults/vault-registry.ts'
import { vaultIdArgument } from '../tool-arguments.ts'
import { defineTool } from '../tool.ts'

/** What a vault is and how much it holds. */
export const vaultInfoTool = ({ registry, vaultInfo }: { registry: VaultRegistry; vaultInfo: DescribeVault }) =>
  defineTool({
    name: 'vault_info',
    title: 'Vault information',
    description: 'Name, counts, bytes and index state of one vault.',
    effect: 'reads',
    input: z.object({ vaultId: vaultIdArgument }),
    output: z.object({ vault: z.looseObject({ id: z.string() }) }),
    run: async ({ vaultId }) => ({ vault: await vaultInfo(registry.find(vaultId)) }),
  })
