import { listVaults } from '@svc/shared/wire/mcp/vault-tools.ts'
import type { VaultRegistry } from '../../vaults/vault-registry.ts'
import { mayUse } from '../tool-caller.ts'
import { makeTool } from '../tool.ts'

/** Lists the vaults that the caller may use. */
export const listVaultsTool = ({ registry }: { registry: VaultRegistry }) =>
  makeTool(listVaults, async (_input, caller) => ({
    vaults: registry
      .list()
      .filter(({ id }) => mayUse(caller, id))
      .map(({ id, displayName }) => ({ id, displayName })),
  }))
