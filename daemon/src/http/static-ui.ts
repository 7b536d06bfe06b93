import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { vaultPagePolicy } from '@svc/shared/wire/vault-page-policy.ts'
import { isUiPath } from './ui-path.ts'

const BUILT_UI = fileURLToPath(new URL('../../dist/ui', import.meta.url))

const NOT_BUILT = `<!doctype html><html lang="en"><meta charset="utf-8"><title>svcd</title>
<h1>svcd is running</h1><p>The web UI is not part of this build. The API describes itself at
<a href="/api/openapi.json">/api/openapi.json</a>.</p></html>
`

/** Responds to a navigation with the page of the UI; false when the request is not one. */
export type ServeUi = (request: FastifyRequest, reply: FastifyReply) => boolean

/** Serves the built UI: hashed files with unlimited caching, its page for every other path that a person opens. */
export async function createStaticUi(app: FastifyInstance, folder = BUILT_UI): Promise<ServeUi> {
  const index = join(folder, 'index.html')
  const isBuilt = existsSync(index)
  const page = isBuilt ? readFileSync(index, 'utf8') : NOT_BUILT

  if (isBuilt)
    await app.register(async (scope) => {
      const { default: fastifyStatic } = await import('@fastify/static')
      scope.addHook('onRoute', (route) => {
        route.config = { ...route.config, relayed: ['entered'], produces: [] }
      })
      await scope.register(fastifyStatic, {
        root: join(folder, 'assets'),
        prefix: '/assets/',
        preCompressed: true,
        index: false,
        decorateReply: false,
        cacheControl: false,
        setHeaders(reply) {
          reply.header('content-security-policy', vaultPagePolicy)
          reply.header('cache-control', 'public, max-age=31536000, immutable')
        },
      })
    })

  return ({ method, url, headers }, reply) => {
    const isPage = (method === 'GET' || method === 'HEAD') && isUiPath(url)
    if (!isPage || !(headers.accept ?? '').includes('text/html')) return false
    void reply
      .header('content-security-policy', vaultPagePolicy)
      .header('cache-control', 'no-cache')
      .type('text/html; charset=utf-8')
      .send(page)
    return true
  }
}
