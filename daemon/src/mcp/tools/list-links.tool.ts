import { z } from 'zod'
import { LinkProblem } from '@svc/shared/wire/daemon/daemon-links.api.ts'
import { parseVaultPath } from '../../files/vault-path.ts'
import type { LinksOfFile } from '../../links/links-of-file.ts'
import type { VaultRegistry } from '../../vaults/vault-registry.ts'
import { pathArgument, vaultIdArgument } from '../tool-arguments.ts'
import { defineTool } from '../tool.ts'

const LineOfNote = z.object({ line: z.int(), text: z.string() })
const Referrer = z.object({ path: z.string(), lines: z.array(LineOfNote) })

/** Where a note leads, and what leads to it. */
export const listLinksTool = ({ registry, linksOfFile }: { registry: VaultRegistry; linksOfFile: LinksOfFile }) =>
  defineTool({
    name: 'list_links',
    title: 'List links',
    description: 'Links of a note: outgoing, with problem where broken, and backlinks with their lines.',
    effect: 'reads',
    input: z.object({
      vaultId: vaultIdArgument,
      path: pathArgument,
      mentions: z.boolean().default(false).describe('Also notes that name it without a link'),
      limit: z.int().min(1).max(200).default(50).describe('Backlinks per page'),
      cursor: z.string().regex(/^\d{1,9}$/).optional(), // prettier-ignore
    }),
    output: z.object({
      outgoing: z.array(
        z.object({ line: z.int(), target: z.string(), path: z.string().optional(), problem: LinkProblem.optional() }),
      ),
      backlinks: z.array(Referrer),
      backlinksTotal: z.int(),
      mentions: z.array(Referrer),
      partial: z.boolean(),
      nextCursor: z.string().optional(),
    }),
    async run({ vaultId, path, mentions, limit, cursor }) {
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
    },
  })
