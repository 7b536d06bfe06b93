import type { Readable } from 'node:stream'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { whenClosed } from '@svc/shared/kit/when-closed.ts'
import { ImportQuery, LEFT_OUT_HEADER, VaultImported } from '@svc/shared/wire/daemon/daemon-archives.api.ts'
import { VaultParams } from '@svc/shared/wire/daemon/daemon.api.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { creatorOf } from '../http/request-caller.ts'
import type { VaultRegistry } from '../vaults/vault-registry.ts'
import type { ExportVault } from './export-vault.ts'
import type { ImportVault } from './import-vault.ts'
import { countLeftOut } from './vault-files.ts'

type Deps = { registry: VaultRegistry; exportVault: ExportVault; importVault: ImportVault; maxBytes: number }

const ZIP = 'application/zip'

/** A vault as a zip, and a new vault from one. */
export function archivesRoutes({ registry, exportVault, importVault, maxBytes }: Deps): FastifyPluginAsyncZod {
  return async (app) => {
    app.removeAllContentTypeParsers()
    app.addContentTypeParser(ZIP, async (_request: unknown, body: Readable) => body)

    app.get(
      '/api/vaults/:vaultId/export',
      { config: { relayed: ['vault-member'], produces: [ZIP] }, schema: { params: VaultParams } },
      async ({ params }, reply) => {
        const vault = registry.find(params.vaultId)
        // An archive without the files of a disk that is away would look complete.
        await vault.files.mounted.refuseAwayBelow('')
        const name = encodeURIComponent(`${vault.id}.zip`).replaceAll("'", '%27')
        await vault.listed
        void reply.header(LEFT_OUT_HEADER, await countLeftOut(vault.manifest))
        void reply.type(ZIP).header('content-disposition', `attachment; filename*=UTF-8''${name}`)
        return reply.header('x-content-type-options', 'nosniff').send(exportVault(vault))
      },
    )

    app.post(
      '/api/vaults/import',
      {
        bodyLimit: maxBytes,
        config: { relayed: ['service:vaults:create'] },
        schema: { querystring: ImportQuery, response: { 201: VaultImported } },
      },
      async ({ query, body, caller }, reply) => {
        if (!body) throw fail('invalid_request', [{ path: 'body', message: 'is missing: send a zip' }])
        // Keep the stream open if the import fails: the rest of the body must still be read.
        const chunks = (body as Readable).iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>
        const left = new AbortController()
        whenClosed(reply.raw, () => left.abort(fail('stream_reset')))
        const imported = await importVault({ ...query, body: chunks, by: creatorOf(caller), left: left.signal })
        return reply.code(201).send({ ok: true, ...imported })
      },
    )
  }
}
