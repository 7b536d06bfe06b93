import { vaultInfo } from '@svc/shared/wire/mcp/vault-tools.ts'
import type { DescribeVault } from '../../storage/vault-info.ts'
import type { VaultRegistry } from '../../vaults/vault-registry.ts'
import { makeTool } from '../tool.ts'

type Deps = { registry: VaultRegistry; vaultInfo: DescribeVault }

/** Returns what a vault is and how much it contains. */
export const vaultInfoTool = ({ registry, vaultInfo: describe }: Deps) =>
  makeTool(vaultInfo, async ({ vaultId }) => ({ vault: await describe(registry.find(vaultId)) }))
