import { z } from 'zod'
import { Attachment } from '@svc/shared/wire/daemon/daemon.api.ts'
import { listAttachments } from '../../attachments/list-attachments.ts'
import type { VaultRegistry } from '../../vaults/vault-registry.ts'
import { vaultIdArgument } from '../tool-arguments.ts'
import { defineTool } from '../tool.ts'

/** The inventory of attachments. */
export const listAttachmentsTool = ({ registry }: { registry: VaultRegistry }) =>
  defineTool({
    name: 'list_attachments',
    title: 'List attachments',
    description: 'List the files of a vault that are not notes.',
    effect: 'reads',
    input: z.object({ vaultId: vaultIdArgument }),
    output: z.object({ attachments: z.array(Attachment) }),
    run: async ({ vaultId }) => ({ attachments: await listAttachments(registry.find(vaultId)) }),
  })
