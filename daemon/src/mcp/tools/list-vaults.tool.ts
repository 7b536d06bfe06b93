import { z } from 'zod'
import { VaultSummary } from '@svc/shared/wire/daemon/daemon.api.ts'
import type { VaultRegistry } from '../../vaults/vault-registry.ts'
import { defineTool } from '../tool.ts'

/** The only way to learn the ids that every other tool needs. */
export const listVaultsTool = ({ registry }: { registry: VaultRegistry }) =>
  defineTool({
    name: 'list_vaults',
    title: 'List vaults',
    description: 'List the vaults of this daemon. Call first: every other tool needs a vaultId.',
    effect: 'reads',
    input: z.object({}),
    output: z.object({ vaults: z.array(VaultSummary) }),
    run: async () => ({ vaults: registry.list().map(({ id, displayName }) => ({ id, displayName })) }),
  })
