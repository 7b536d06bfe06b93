import { createServer, type Server, type ServerResponse } from 'node:http'
import type { DaemonStatus, FlushAnswer } from '@svc/shared/wire/daemon/daemon-status.ts'

type Options = {
  isReady: () => boolean
  status: () => Promise<DaemonStatus>
  /** Makes everything durable; returns the time as of which it is. */
  flush: () => Promise<string>
  /** The current bearer token, or undefined: then every request is refused. */
  token: () => Promise<string | undefined>
  onFailure: (error: unknown) => void
}

/**
 * A server without any vault content: `/health` and `/ready` respond `{ ok }` to anyone, `/status` and `/flush` require
 * the token. It is the only listener of a daemon that is reachable through its tunnel alone.
 */
export function statusListener({ isReady, status, flush, token, onFailure }: Options): Server {
  async function route(method: string, path: string, authorization: string | undefined): Promise<Answer> {
    if (method === 'GET' && path === '/health') return { status: 200, body: { ok: true } }
    if (method === 'GET' && path === '/ready') return { status: isReady() ? 200 : 503, body: { ok: isReady() } }

    const guarded = (method === 'GET' && path === '/status') || (method === 'POST' && path === '/flush')
    if (!guarded) return { status: 404, body: { ok: false } }
    if (!(await isBearer(authorization, await token()))) return { status: 401, body: { ok: false } }
    if (path === '/status') return { status: 200, body: await status() }
    return { status: 200, body: { durableAsOf: await flush() } satisfies FlushAnswer }
  }

  return createServer((request, response) => {
    const path = (request.url ?? '').split('?')[0]!
    route(request.method ?? '', path, request.headers.authorization).then(
      (answer) => send(response, answer),
      (error: unknown) => {
        onFailure(error)
        send(response, { status: 500, body: { ok: false } })
      },
    )
  })
}

type Answer = { status: number; body: unknown }

function send(response: ServerResponse, { status, body }: Answer): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' })
  response.end(JSON.stringify(body))
}

async function isBearer(header: string | undefined, token: string | undefined): Promise<boolean> {
  if (token === undefined || header === undefined) return false
  // Loaded with the first request that needs it: `node:crypto` would delay every start by 5 ms before it listens.
  const { sameSecret } = await import('@svc/shared/kit/same-secret.ts')
  return sameSecret(header, `Bearer ${token}`)
}
