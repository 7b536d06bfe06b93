import { Readable } from 'node:stream'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { decodeFrames } from '@svc/shared/wire/daemon/backup-frames.ts'
import { BACKUP_BODY, LastRestore } from '@svc/shared/wire/daemon/daemon-backups.api.ts'
import type { HomeLayout } from '../home/home-layout.ts'
import { createOneTransfer } from './one-transfer.ts'
import { findLastRestore } from './replace-home.ts'
import type { createServeBackup } from './serve-backup.ts'
import type { createServeRestore } from './serve-restore.ts'

type Deps = {
  layout: HomeLayout
  serveBackup: ReturnType<typeof createServeBackup>
  serveRestore: ReturnType<typeof createServeRestore>
}

const MAX_BODY_BYTES = Number.MAX_SAFE_INTEGER

/** Backup and restore of the whole home, for the platform alone: request and response are streams of frames. */
export function backupsRoutes({ layout, serveBackup, serveRestore }: Deps): FastifyPluginAsyncZod {
  return async (app) => {
    const transfers = createOneTransfer()
    app.removeAllContentTypeParsers()
    app.addContentTypeParser(BACKUP_BODY, async (_request: unknown, body: Readable) => body)
    app.addHook('preClose', () => transfers.close())

    const routes = [
      { url: '/api/ops/backup', serve: serveBackup },
      { url: '/api/ops/restore', serve: serveRestore },
    ]
    for (const { url, serve } of routes)
      app.post(
        url,
        { bodyLimit: MAX_BODY_BYTES, config: { relayed: ['service:backup'], produces: [BACKUP_BODY] } },
        async ({ body, raw }, reply) => {
          // Keep the stream open on failure: the rest of the body must still be read.
          const bytes = (body instanceof Readable ? body : Readable.from([])).iterator({ destroyOnReturn: false })
          const output = await transfers.run((signal) => serve(decodeFrames(bytes as AsyncIterable<Buffer>), signal))
          output.once('close', () => raw.resume())
          return reply.type(BACKUP_BODY).send(output)
        },
      )

    app.get(
      '/api/ops/restore',
      { config: { relayed: ['service:backup'], quiet: true }, schema: { response: { 200: LastRestore } } },
      async () => ({ ok: true as const, restore: await findLastRestore(layout) }),
    )
  }
}
