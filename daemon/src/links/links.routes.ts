import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import {
  GraphQuery,
  LinkGraph,
  LinkReport,
  LinksQuery,
  NoteLinks,
  ReportQuery,
  TagCounts,
  TagsQuery,
} from '@svc/shared/wire/daemon/daemon-links.api.ts'
import { NoteParams, VaultParams } from '@svc/shared/wire/daemon/daemon.api.ts'
import { parseVaultPath } from '../files/vault-path.ts'
import type { VaultRegistry } from '../vaults/vault-registry.ts'
import type { GraphLinks } from './link-graph.ts'
import type { ReportLinks } from './link-report.ts'
import type { LinksOfFile } from './links-of-file.ts'
import type { CountTags } from './tag-counts.ts'

type Deps = {
  registry: VaultRegistry
  linksOfFile: LinksOfFile
  reportLinks: ReportLinks
  countTags: CountTags
  graphLinks: GraphLinks
}

const config = { relayed: ['vault-member'] } as const

/** Links of a file, the report of broken links and orphans, tags and the graph. Cursors are offsets. */
export function linksRoutes({
  registry,
  linksOfFile,
  reportLinks,
  countTags,
  graphLinks,
}: Deps): FastifyPluginAsyncZod {
  return async (app) => {
    app.get(
      '/api/vaults/:vaultId/links/*',
      { config, schema: { params: NoteParams, querystring: LinksQuery, response: { 200: NoteLinks } } },
      async ({ params, query: { limit, cursor, mentions } }) => ({
        ok: true as const,
        ...(await linksOfFile(registry.find(params.vaultId), {
          path: parseVaultPath(params['*']),
          limit,
          offset: Number(cursor ?? 0),
          mentions: mentions === 'true' ? 'wanted' : 'left_out',
        })),
      }),
    )

    app.get(
      '/api/vaults/:vaultId/report',
      { config, schema: { params: VaultParams, querystring: ReportQuery, response: { 200: LinkReport } } },
      async ({ params, query: { limit, cursor } }) => ({
        ok: true as const,
        ...(await reportLinks(registry.find(params.vaultId), { limit, offset: Number(cursor ?? 0) })),
      }),
    )

    app.get(
      '/api/vaults/:vaultId/tags',
      { config, schema: { params: VaultParams, querystring: TagsQuery, response: { 200: TagCounts } } },
      async ({ params, query: { limit, cursor } }) => ({
        ok: true as const,
        ...(await countTags(registry.find(params.vaultId), { limit, offset: Number(cursor ?? 0) })),
      }),
    )

    app.get(
      '/api/vaults/:vaultId/graph',
      { config, schema: { params: VaultParams, querystring: GraphQuery, response: { 200: LinkGraph } } },
      async ({ params, query: { path, depth, limit, cursor } }) => ({
        ok: true as const,
        ...(await graphLinks(registry.find(params.vaultId), {
          path: path === undefined ? undefined : parseVaultPath(path),
          depth,
          limit,
          offset: Number(cursor ?? 0),
        })),
      }),
    )
  }
}
