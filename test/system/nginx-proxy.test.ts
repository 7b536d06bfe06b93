import { once } from 'node:events'
import { request, type RequestOptions } from 'node:https'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { verifies } from '../requirements.ts'
import { QUIET_SECONDS, startNginx } from '../support/nginx.ts'
import { createPerson, sendRaw, type Person } from '../support/person.ts'
import { startPlatform, type Platform } from '../support/platform.ts'
import { startSvcd, type Svcd } from '../support/svcd.ts'
import { until } from '../support/until.ts'

let platform: Platform
let nginx: Awaited<ReturnType<typeof startNginx>>
let daemon: Svcd
let ada: Person
let vault: { host: string; cookie: string; origin: string }

beforeAll(async () => {
  platform = await startPlatform()
  nginx = await startNginx(platform.port)
  ada = createPerson(platform.origin, platform.mailbox)
  await ada.signUp({ email: 'ada@example.org' })
  const { body } = await ada.post('/api/provisioning/orgs/self-hosted', { name: 'Proxied' })
  // The daemon reaches the platform only through nginx.
  daemon = await startSvcd({
    env: {
      SVC_RELAY_URL: `https://localhost:${nginx.port}/t/${body.organization.id}`,
      SVC_RELAY_TOKEN: body.apiKey,
      NODE_EXTRA_CA_CERTS: nginx.certFile,
    },
  })
  const { slug } = body.organization
  await until('the daemon has dialled', async () => {
    const { status, body: minted } = await ada.post(`/api/orgs/${slug}/vaults/demo-vault/entry`)
    if (status !== 200) return false
    await enter(minted.entry)
    return true
  })
})
afterAll(async () => {
  await daemon?.remove()
  await nginx?.stop()
  await platform?.remove()
})

async function enter({ url, assertion }: { url: string; assertion: string }): Promise<void> {
  const { host, origin } = new URL(url)
  const headers = { host, origin: platform.origin, 'content-type': 'application/x-www-form-urlencoded' }
  const body = new URLSearchParams({ assertion }).toString()
  const entered = await sendRaw(platform.origin, { method: 'POST', path: '/_svc/enter', headers, body })
  vault = { host, origin, cookie: entered.headers['set-cookie']?.[0]?.split(';')[0] ?? '' }
}

const options = (port: number, path: string): RequestOptions => ({
  host: '127.0.0.1',
  port,
  path,
  rejectUnauthorized: false,
  headers: { host: vault.host, origin: vault.origin, cookie: vault.cookie },
})
const headersOf = (port: number, path: string) => options(port, path).headers as Record<string, string>

test('through nginx as the example says a quiet event stream lives; nginx by itself cuts it', async () => {
  verifies('proxy.nginx')
  const listen = async (port: number) => {
    const path = '/api/vaults/demo-vault/events'
    const headers = { ...headersOf(port, path), accept: 'text/event-stream' }
    const asked = request({ ...options(port, path), headers }).end()
    const [answer] = await once(asked, 'response')
    let said = ''
    let ended = false
    answer.setEncoding('utf8').on('data', (text: string) => (said += text))
    answer.on('close', () => (ended = true)).on('error', () => {})
    return { status: answer.statusCode, said: () => said, ended: () => ended, stop: () => asked.destroy() }
  }
  const cut = await listen(nginx.plainPort)
  const stream = await listen(nginx.port)
  expect(stream.status).toBe(200)
  await systemClock.sleep(QUIET_SECONDS * 2_500)
  await until('nginx by itself ends it', cut.ended)
  expect(stream.ended()).toBe(false)

  const written = await put('/api/vaults/demo-vault/notes/Told.md', Buffer.from('told\n'), 'text/markdown')
  expect(written).toBe(201)
  await until('the stream tells at once', () => stream.said().includes('Told.md'))
  stream.stop()
})

test('a live session that is quiet for long stays open', async () => {
  const path = '/api/vaults/demo-vault/live/README.md'
  const socket = new WebSocket(`wss://127.0.0.1:${nginx.port}${path}`, {
    rejectUnauthorized: false,
    headers: headersOf(nginx.port, path),
  })
  await once(socket, 'open')
  let closed = false
  socket.on('close', () => (closed = true))
  await systemClock.sleep(QUIET_SECONDS * 2_500)
  expect(closed).toBe(false)
  socket.close()
  await once(socket, 'close')
})

test('a large file goes up and comes back as it was', async () => {
  const bytes = Buffer.alloc(12 * 2 ** 20, 7)
  expect(await put('/api/vaults/demo-vault/attachments/large.bin', bytes, 'application/octet-stream')).toBe(201)
  const asked = request(options(nginx.port, '/api/vaults/demo-vault/attachments/large.bin')).end()
  const [answer] = await once(asked, 'response')
  let received = 0
  for await (const chunk of answer) received += (chunk as Buffer).length
  expect([answer.statusCode, received]).toEqual([200, bytes.length])
})

async function put(path: string, bytes: Buffer, type: string): Promise<number> {
  const headers = {
    ...headersOf(nginx.port, path),
    'content-type': type,
    'content-length': String(bytes.length),
    'if-none-match': '*',
  }
  const asked = request({ ...options(nginx.port, path), method: 'PUT', headers }).end(bytes)
  const [answer] = await once(asked, 'response')
  answer.resume()
  await once(answer, 'end')
  return answer.statusCode
}
