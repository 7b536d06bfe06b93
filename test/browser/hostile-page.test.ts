import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { openBrowser } from '../support/browser.ts'
import { runAttacks, type Outcome } from './hostile-page/run-attacks.ts'
import { startLoopbackSite, startPublicSite, type Site } from './hostile-page/sites.ts'
import { callApi, SECRETS, startVisit, type Visit } from './hostile-page/visit.ts'
import type { Seen } from './hostile-page/watching-proxy.ts'

// A daemon is somebody else's program. Its page runs in the browser of a person who is signed in and has also entered
// other vaults. Chromium shows what such a page can reach; the proxy shows what the servers received.

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser.close())

/** Attacks that fail even on their own origin, because nothing may be framed. */
const NOBODY = ['a form in a frame', 'a frame', 'an object']
/** Attacks that never return anything to the page, whatever their target. */
const BLIND = ['sendBeacon', 'sendBeacon of JSON']
/** Browsers start no worker from another origin. */
const NEVER_SENT = 'a worker'

const isUnsafe = ({ method, upgrade }: Seen) => upgrade || !['GET', 'HEAD', 'OPTIONS'].includes(method)
const hasSession = ({ headers }: Seen) => /svc_(entry|session)/.test(headers.cookie ?? '')
const isVisit = ({ method, headers }: Seen) =>
  method === 'GET' && headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document'
const told = ({ method, path, status, headers }: Seen) =>
  `${method} ${path} ${status} ${headers['sec-fetch-site']} ${headers['sec-fetch-mode']} ${headers['sec-fetch-dest']}`

describe.each([
  ['on loopback', startLoopbackSite],
  ['in public', startPublicSite],
])('a page of a hostile daemon %s', (_where, startSite) => {
  let site: Site
  beforeAll(async () => {
    site = await startSite()
  })
  afterAll(() => site?.close())

  describe.each([
    ['under the policy of the gateway', { bypassCSP: false }],
    ['in a browser that knows no policies', { bypassCSP: true }],
  ])('%s', (_how, { bypassCSP }) => {
    let visit: Visit
    let own: Outcome[]
    let neighbour: Outcome[]
    let controlPlane: Outcome[]
    let everywhere: Outcome[]

    beforeAll(async () => {
      visit = await startVisit(browser, site, { bypassCSP })
      const run = (target: keyof Visit['targets'], arrives: (attack: string) => boolean) => {
        const succeeds = (attack: string) => target === 'own' && !NOBODY.includes(attack)
        return runAttacks({ site, visit, target: visit.targets[target], arrives, succeeds })
      }
      own = await run('own', (attack) => bypassCSP || attack !== 'an object')
      neighbour = await run('neighbour', (attack) => bypassCSP && attack !== NEVER_SENT)
      controlPlane = await run('controlPlane', (attack) => bypassCSP && attack !== NEVER_SENT)
      everywhere = [...neighbour, ...controlPlane]
    })
    afterAll(() => visit?.close())

    test('can do everything to its own origin', () => {
      const failed = own.filter(({ got }) => got.startsWith('failed')).map(({ attack }) => attack)
      expect(failed).toEqual(NOBODY)
      const blind = own.filter(({ attack }) => BLIND.includes(attack))
      expect(blind.flatMap(({ seen }) => seen.map(({ method, status }) => [method, status]))).toEqual([
        ['POST', 200],
        ['POST', 200],
      ])
      expect(visit.baitDaemon.asked.filter(({ method }) => method === 'PUT')).toHaveLength(1)
    })

    test('reads nothing of another origin', () => {
      verifies('security.daemon-page')
      const read = everywhere.filter(({ attack, got }) => !got.startsWith('failed') && !BLIND.includes(attack))
      expect(read.map(({ attack, got }) => `${attack}: ${got}`)).toEqual([])
      for (const secret of [SECRETS.neighbour, SECRETS.name])
        expect(everywhere.filter(({ got }) => got.includes(secret))).toEqual([])
      const granted = everywhere
        .flatMap(({ seen }) => seen)
        .filter((one) => 'access-control-allow-origin' in one.answer)
      expect(granted.map(told)).toEqual([])
    })

    test('changes nothing on another origin', async () => {
      verifies('security.daemon-page', 'security.csrf')
      const changes = everywhere.flatMap(({ seen }) => seen).filter(isUnsafe)
      expect(changes.filter(({ status }) => status < 400 || status > 499).map(told)).toEqual([])
      expect(changes.length).toBeGreaterThanOrEqual(bypassCSP ? 14 : 0)
      if (!bypassCSP) expect(changes.map(told)).toEqual([])

      expect(visit.neighbourDaemon.asked.filter(({ method }) => method !== 'GET')).toEqual([])
      expect(visit.neighbourDaemon.asked.filter(({ path }) => path.includes('/live/'))).toEqual([])
      const { profile, organizations } = await callApi<{ profile: { name: string }; organizations: unknown[] }>(
        visit.app,
        '/api/settings',
      )
      expect([profile.name, organizations.length]).toEqual([SECRETS.name, 2])
    })

    test("carries the visitor's cookies to another site only where the visitor goes along", () => {
      const carried = (outcomes: Outcome[]) => outcomes.flatMap(({ seen }) => seen).filter(hasSession)
      const apart = site.vaultsAreOneSite ? carried(controlPlane) : carried(everywhere)
      expect(apart.filter((one) => !isVisit(one)).map(told)).toEqual([])
      expect(apart.filter(isVisit).length).toBeGreaterThan(0)
    })

    test('is not known to the windows that it opens', async () => {
      for (const { text } of [visit.targets.neighbour, visit.targets.controlPlane]) {
        const opened = visit.context.waitForEvent('page')
        await visit.bait.evaluate((address) => void open(address, '_blank'), text)
        const page = await opened
        await page.waitForURL(text)
        expect(await page.evaluate(() => [opener, document.referrer])).toEqual([null, ''])
        await page.close()
      }
    })
  })
})
