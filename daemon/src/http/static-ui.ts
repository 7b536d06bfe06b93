import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { loadOnce } from '@svc/shared/kit/load-once.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import type { Handle } from './front-door.ts'
import { vaultPagePolicy } from '@svc/shared/wire/vault-page-policy.ts'
import { isUiPath } from './ui-path.ts'

const BUILT_UI = fileURLToPath(new URL('../../dist/ui', import.meta.url))

const ASSETS = '/assets/'

const NOT_BUILT = `<!doctype html><html lang="en"><meta charset="utf-8"><title>svcd</title>
<h1>svcd is running</h1><p>The web UI is not part of this build. The API describes itself at
<a href="/api/openapi.json">/api/openapi.json</a>.</p></html>
`

type Options = { app: FastifyInstance; log: Log; folder?: string }

/** Responds to a navigation with the page of the UI; false when the request is not one. */
export type ServeUi = (request: FastifyRequest, reply: FastifyReply) => boolean

/**
 * Serves the built UI: hashed files with unlimited caching, and its page for every other path that a person opens. The
 * code that serves files takes 10 ms to load, so it is loaded with the first file.
 */
export function createStaticUi({ app, log, folder = BUILT_UI }: Options): ServeUi {
  const index = join(folder, 'index.html')
  const isBuilt = existsSync(index)
  const page = isBuilt ? readFileSync(index, 'utf8') : NOT_BUILT

  if (isBuilt) {
    const load = loadOnce<Handle>(async () => {
      const { staticFiles } = await import('./static-files.ts')
      return staticFiles({ folder: join(folder, 'assets'), prefix: ASSETS, log })
    })
    const options = { config: { relayed: ['entered' as const], produces: [] }, schema: { hide: true } }
    app.get(`${ASSETS}*`, options, async (request, reply) => {
      const serve = await load()
      reply.hijack()
      serve(request.raw, reply.raw)
    })
  }

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
