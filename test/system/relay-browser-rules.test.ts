import { Script } from 'node:vm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { startRelay } from '../support/relay.ts'
import { startDaemon, until, type RelayHarness } from '../support/relay-replica.ts'

// How a vault origin responds to requests that a browser marks as cross-site, and to requests of service workers.
let harness: RelayHarness
let org: Awaited<ReturnType<RelayHarness['makeOrganization']>>
let daemon: Awaited<ReturnType<typeof startDaemon>>
let cookie: string
const reached: string[] = []

beforeAll(async () => {
  harness = await startRelay()
  org = await harness.makeOrganization()
  daemon = await startDaemon(harness, org, (req, res) => {
    reached.push(req.url ?? '')
    res.setHeader('content-security-policy', "img-src 'self' https:").end('from the daemon')
  })
  await until(async () => (await harness.relay.status(org.orgId)).connected)
  cookie = await harness.enter({ orgId: org.orgId, person: await harness.makePerson(org.orgId), vault: 'v' })
})
afterAll(async () => {
  await daemon?.close()
  await harness?.close()
})

type Fetch = { site: string; mode: string; dest: string }
const openTab = { mode: 'navigate', dest: 'document' }
const get = (path: string, { site, mode, dest }: Fetch, more: Record<string, string> = {}) =>
  harness.ask({
    host: org.host,
    path,
    headers: { cookie, 'sec-fetch-site': site, 'sec-fetch-mode': mode, 'sec-fetch-dest': dest, ...more },
  })

test.each(['cross-site', 'same-site', 'CROSS-SITE', 'cross-site, same-origin', ''])(
  'a request marked %j opens the UI in a tab and does nothing else, with or without a cookie',
  async (site) => {
    verifies('security.cross-site')
    reached.length = 0
    const refused: [string, Omit<Fetch, 'site'>][] = [
      ['/api/vaults/v/tree', { mode: 'no-cors', dest: 'image' }],
      ['/api/vaults/v/tree', { mode: 'cors', dest: 'empty' }],
      ['/api/vaults/v/tree', openTab],
      ['/api/vaults/v/export', openTab],
      ['/_svc/person', openTab],
      ['/v/v', { mode: 'navigate', dest: 'iframe' }],
      ['/v/v', { mode: 'navigate', dest: 'object' }],
      ['/assets/main-abcdefgh.js', { mode: 'no-cors', dest: 'script' }],
    ]
    for (const [path, fetch] of refused)
      for (const more of [{}, { cookie: '' }] as Record<string, string>[])
        expect([path, fetch.dest, (await get(path, { site, ...fetch }, more)).status]).toEqual([path, fetch.dest, 403])
    const head = await harness.ask({
      method: 'HEAD',
      host: org.host,
      path: '/v/v',
      headers: { cookie, 'sec-fetch-site': site, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
    })
    expect(head.status).toBe(403)
    expect(reached).toEqual([])
    expect((await get('/v/v', { site, ...openTab })).status).toBe(200)
  },
)

test.each(['same-origin', 'none'])('a request marked %s is served', async (site) => {
  expect((await get('/api/vaults/v/tree', { site, mode: 'cors', dest: 'empty' })).status).toBe(200)
})

test('only the worker of the gateway itself can be installed, and it comes from no daemon', async () => {
  verifies('security.service-worker')
  reached.length = 0
  const asWorker = { 'service-worker': 'script' }
  const fetch = { site: 'same-origin', mode: 'same-origin', dest: 'serviceworker' }
  for (const path of ['/', '/v/v', '/assets/worker-abcdefgh.js', '/_svc/offline', '/api/vaults/v/attachments/w.js'])
    expect([path, (await get(path, fetch, asWorker)).status]).toEqual([path, 403])
  for (const path of ['/_svc/offline-worker.js?x', '/_svc/offline-worker.js/', '/_svc/%6fffline-worker.js'])
    expect((await get(path, fetch, asWorker)).status).not.toBe(200)

  const worker = await get('/_svc/offline-worker.js', fetch, { ...asWorker, cookie: '' })
  expect(worker.status).toBe(200)
  expect(worker.headers).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'service-worker-allowed': '/',
    'content-security-policy': "default-src 'none'",
    'x-content-type-options': 'nosniff',
  })
  expect(reached).toEqual([])
  expect((await harness.ask({ method: 'POST', host: org.host, path: '/_svc/offline-worker.js' })).status).toBe(405)
})

test('the worker answers page loads of a device that is offline, with its own page, and touches nothing else', async () => {
  const script = (await harness.ask({ host: org.host, path: '/_svc/offline-worker.js' })).text
  const page = await harness.ask({ host: org.host, path: '/_svc/offline' })
  const answers = async (mode: string, onLine: boolean): Promise<Response | undefined> => {
    const listeners = new Map<string, (event: unknown) => void>()
    const self = {
      navigator: { onLine },
      addEventListener: (name: string, run: () => void) => listeners.set(name, run),
    }
    new Script(script).runInNewContext({ self, Response })
    let answer: Response | undefined
    listeners.get('fetch')?.({ request: { mode }, respondWith: (given: Response) => (answer = given) })
    return answer
  }
  expect(await answers('navigate', true)).toBeUndefined()
  expect(await answers('cors', false)).toBeUndefined()
  const offline = await answers('navigate', false)
  expect(await offline?.text()).toBe(page.text)
  expect(offline?.headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(page.text).toContain('You are offline')
})

test('a page may show images of its own origin alone, whatever its daemon allows', async () => {
  verifies('security.remote-images')
  const policies = String((await get('/v/v', { site: 'none', ...openTab })).headers['content-security-policy'])
  expect(policies.split(', ')[0]).toMatch(/img-src 'self' data: blob:;/)
})
