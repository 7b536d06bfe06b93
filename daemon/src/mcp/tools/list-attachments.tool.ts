import { listAttachments } from '@svc/shared/wire/mcp/file-tools.ts'
import { listAttachments as attachmentsOf } from '../../attachments/list-attachments.ts'
import type { VaultRegistry } from '../../vaults/vault-registry.ts'
import { pageOf } from '../page.ts'
import { makeTool } from '../tool.ts'

/** The inventory of attachments, page by page. */
export const listAttachmentsTool = ({ registry }: { registry: VaultRegistry }) =>
  makeTool(listAttachments, async ({ vaultId, limit, cursor }) => {
    const vault = registry.find(vaultId)
    const all = await attachmentsOf(vault)
    const after = (given: string) => {
      const place = vault.manifest.onDisk(given)
      return all.filter(({ path }) => path > place)
    }
    const { items, nextCursor } = pageOf(all, { limit, cursor, after })
    return { attachments: items, ...nextCursor }
  })
