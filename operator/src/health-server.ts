import { createServer, type Server } from 'node:http'
import type { Registry } from 'prom-client'
import type { Operator } from './app.ts'

type Options = { operator: Operator; metrics: Registry; host: string; port: number }

/** Serves health, readiness and metrics. A standby is ready: it could take over at once. */
export async function serveHealth({
  operator,
  metrics,
  host,
  port,
}: Options): Promise<{ server: Server; port: number }> {
  const server = createServer((request, response) => {
    const { leading, synced } = operator.state()
    const answer = (status: number, body: unknown) => {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(body))
    }
    if (request.method !== 'GET') return answer(405, { ok: false })
    if (request.url === '/health') return answer(200, { ok: true })
    if (request.url === '/ready') {
      const ok = !leading || synced
      return answer(ok ? 200 : 503, { ok, leading })
    }
    if (request.url !== '/metrics') return answer(404, { ok: false })
    metrics.metrics().then(
      (text) => {
        response.writeHead(200, { 'content-type': metrics.contentType })
        response.end(text)
      },
      () => answer(500, { ok: false }),
    )
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const address = server.address()
  return { server, port: typeof address === 'object' && address ? address.port : port }
}
