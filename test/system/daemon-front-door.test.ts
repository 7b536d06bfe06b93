import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { frontDoor } from '../../daemon/src/http/front-door.ts'
import { verifies } from '../requirements.ts'
import { call, rawRequest, startSvcd, type RawAnswer, type Svcd } from '../support/svcd.ts'
import { until } from '../support/until.ts'

let daemon: Svcd
beforeAll(async () => {
  daemon = await startSvcd()
  await until('it is ready', async () => (await call(daemon, '/api/ready')).status === 200)
})
afterAll(() => daemon.remove())

const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  rawRequest({ url: daemon.url, path, method, headers: { host: new URL(daemon.url).host, ...headers } })
const told = ({ status, headers, body }: RawAnswer) => {
  const { date: _date, 'x-request-id': id, ...rest } = headers
  expect(id).toMatch(/^[0-9a-f]{16}$/)
  return { status, rest, body: status < 400 ? body : (JSON.parse(body) as { error: { code: string } }).error.code }
}

// The order matters: the first two requests are answered before any route is loaded, the third loads the routes.
test('health and readiness are answered alike before and after the routes are loaded, by the same rules', async () => {
  verifies('health.daemon')
  const early = [told(await ask('/api/health')), told(await ask('/api/ready', { accept: '*/*' }))]
  expect(early[0]).toMatchObject({ status: 200 })
  expect(told(await ask('/api/health', { host: 'evil.example' }))).toMatchObject({ body: 'misdirected_request' })
  expect([told(await ask('/api/health')), told(await ask('/api/ready', { accept: '*/*' }))]).toEqual(early)
})

test.each([
  [{ origin: 'https://evil.example' }, 'GET', 403],
  [{ 'sec-fetch-site': 'cross-site' }, 'GET', 403],
  [{ accept: 'text/html;q=1, application/json;q=0' }, 'GET', 406],
  [{}, 'POST', 405],
])('a first request with %j by %s is refused by the routes', async (headers, method, status) => {
  const fresh = await startSvcd()
  const answer = await rawRequest({
    url: fresh.url,
    path: '/api/health',
    method,
    headers: { host: new URL(fresh.url).host, ...headers },
  })
  await fresh.remove()
  expect(answer.status).toBe(status)
})

test('routes that are loaded ahead are there for the first request, and are loaded once', async () => {
  const failures: unknown[] = []
  const door = frontDoor({ allowedHosts: [], answers: {}, onFailure: (error) => failures.push(error) })
  let loads = 0
  door.loadAhead()
  door.serve(async () => {
    loads += 1
    return { handle: (_request, response) => response.end('here'), upgrade: (_request, socket) => socket.destroy() }
  })
  await until('they are loaded', async () => loads === 1)
  await once(door.server.listen(0, '127.0.0.1'), 'listening')
  const { port } = door.server.address() as AddressInfo
  expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('here')
  door.server.close()
  door.server.closeAllConnections()
  expect({ loads, failures }).toEqual({ loads: 1, failures: [] })
})
