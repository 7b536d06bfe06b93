import { listLinks } from '@svc/shared/wire/mcp/file-tools.ts'
import { parseVaultPath } from '../../files/vault-path.ts'
import type { LinksOfFile } from '../../links/links-of-file.ts'
import type { VaultRegistry } from '../../vaults/vault-registry.ts'
import { makeTool } from '../tool.ts'

/** The links of a note, and the links to it. */
export const listLinksTool = ({ registry, linksOfFile }: { registry: VaultRegistry; linksOfFile: LinksOfFile }) =>
  makeTool(listLinks, async ({ vaultId, path, mentions, limit, cursor }) => {
    const answer = await linksOfFile(registry.find(vaultId), {
      path: parseVaultPath(path),
      limit,
      offset: Number(cursor ?? 0),
      mentions: mentions ? 'wanted' : 'left_out',
    })
    const { outgoing, backlinks, backlinksTotal, partial, nextCursor } = answer
    return {
      outgoing: outgoing.map(({ line, target, fragment, path: file, problem }) => ({
        line,
        target: fragment === undefined ? target : `${target}#${fragment}`,
        ...(file !== undefined && { path: file }),
        ...(problem && { problem }),
      })),
      backlinks: backlinks.map(({ path: from, lines }) => ({ path: from, lines })),
      backlinksTotal,
      mentions: answer.mentions.map(({ path: from, lines }) => ({ path: from, lines })),
      partial,
      ...(nextCursor !== undefined && { nextCursor }),
    }
  })
