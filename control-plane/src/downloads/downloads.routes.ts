import { basename } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { Downloads } from '@svc/shared/wire/control-plane.api.ts'
import type { Guards } from '../http/guards.ts'
import { findDownloads, type PackedFile } from './find-downloads.ts'

type Deps = {
  guards: Guards
  baseUrl: string
  /** Folder of the packed files. */
  root: string
  /** The image of svcd that customers can pull, if there is one. */
  image: string | undefined
}

const FOREVER = 'public, max-age=31536000, immutable'

/** The daemon as customers install it. The files are public, since npm and Helm fetch them without a session. */
export function downloadsRoutes({ guards, baseUrl, root, image }: Deps): FastifyPluginAsyncZod {
  const found = findDownloads(root)
  const shown = ({ file, ...facts }: PackedFile) => ({ ...facts, file, url: `${baseUrl}/download/${file}` })
  const answer = {
    ok: true as const,
    daemon: found === undefined ? null : shown(found.daemon),
    chart: found === undefined ? null : shown(found.chart),
    image: image ?? null,
  }

  return async (app) => {
    app.get(
      '/api/downloads',
      { onRequest: guards.signedIn, schema: { response: { 200: Downloads } } },
      async () => answer,
    )

    if (found === undefined) return
    const files = new Set([found.daemon.file, found.chart.file])
    await app.register(fastifyStatic, {
      root,
      prefix: '/download/',
      wildcard: false,
      index: false,
      schemaHide: true,
      decorateReply: false,
      cacheControl: false,
      allowedPath: (path) => files.has(path.replace(/^\/+/, '')),
      setHeaders: (reply, path) => {
        reply.header('cache-control', FOREVER)
        reply.header('content-type', 'application/gzip')
        reply.header('content-disposition', `attachment; filename="${basename(path)}"`)
      },
    })
  }
}
