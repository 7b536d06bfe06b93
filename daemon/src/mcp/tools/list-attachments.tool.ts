import { listAttachments } from '@svc/shared/wire/mcp/file-tools.ts'
import { listAttachments as attachmentsOf } from '../../attachments/list-attachments.ts'
import type { VaultRegistry } from '../../vaults/vault-registry.ts'
import { pageOf } from '../page.ts'
import { makeTool } from '../tool.ts'

/** The inventory of attachments, page by page. */
export const listAttachmentsTool = ({ registry }: { registry: VaultRegistry }) =>
  makeTool(listAttachments, async ({ vaultId, limit, cursor }) => {
    const { items, nextCursor } = pageOf(await attachmentsOf(registry.find(vaultId)), { limit, cursor })
    return { attachments: items, ...nextCursor }
  })
