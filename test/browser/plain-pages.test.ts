import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { wakingPage } from '../../control-plane/src/gateway/waking-page.ts'
import { marginPagePolicy } from '../../control-plane/src/pages/margin-page.ts'
import {
  dialInPage,
  enterPage,
  failurePage,
  hostOfflinePage,
  offlinePage,
} from '../../control-plane/src/pages/static-pages.ts'
import { closedOutboxPage, outboxPage } from '../../control-plane/src/mail/outbox-page.ts'
import { verifies } from '../requirements.ts'
import { accessibilityProblems } from '../support/axe.ts'
import { openBrowser } from '../support/browser.ts'

const context = { secure: false, baseUrl: 'http://localhost:8080' }
const hostile = '"><img src=x onerror=document.title="run">'
const mail = {
  recipient: `${hostile}@example.org`,
  template: 'magic-link',
  subject: hostile,
  body: `${hostile}\n\n${'long'.repeat(200)}`,
  link: `http://localhost:8080/sign-in/link#token=${'x'.repeat(300)}`,
  created_at: new Date(Date.UTC(2026, 1, 3, 4, 5, 6)),
}
const waking = (target: string, waitedSeconds: number) => wakingPage({ ...context, target, waitedSeconds })
const plain = (body: string) => ({ headers: { 'content-security-policy': marginPagePolicy }, body })

const pages: Record<string, { headers: Record<string, string>; body: string }> = {
  'a host that wakes': waking('/v/club/Plans/Next%20year.md?x#y', 4),
  'a host that wakes, with a hostile address': waking(`/v/club/${encodeURIComponent(hostile)}`, 12),
  'a host that needs long': waking('/', 95),
  'a host that is away': hostOfflinePage(context),
  'no entry': enterPage(context),
  'a failure': failurePage(context, hostile),
  'a dial-in address': dialInPage,
  'no connection': plain(offlinePage.body),
  'the outbox': plain(outboxPage([mail, { ...mail, subject: 'Another' }])),
  'an empty outbox': plain(outboxPage([])),
  'a closed outbox': plain(closedOutboxPage()),
}

let server: Server
let browser: Browser
beforeAll(async () => {
  server = createServer(({ url = '' }, response) => {
    const { headers, body } = pages[decodeURIComponent(url.slice(1))]!
    // Remove the reload, so that a page stays as long as the checks need.
    const still = body.replace(/<meta http-equiv="refresh"[^>]*>/, '')
    response.writeHead(200, { ...headers, 'content-type': 'text/html; charset=utf-8' }).end(still)
  }).listen(0, '127.0.0.1')
  browser = await openBrowser()
})
afterAll(async () => {
  await browser?.close()
  server?.close()
})

const addressOf = (name: string) =>
  `http://127.0.0.1:${(server.address() as AddressInfo).port}/${encodeURIComponent(name)}`

test.each(Object.keys(pages))('%s: a page of the design, without a script, for everybody', async (name) => {
  verifies('ui.plain-pages')
  for (const colorScheme of ['light', 'dark'] as const) {
    const shown = await browser.newContext({ colorScheme, viewport: { width: 320, height: 640 } })
    const page = await shown.newPage()
    await page.goto(addressOf(name))
    expect(await accessibilityProblems(page)).toEqual([])
    expect(await page.title()).not.toBe('run')
    // The CSP permits the style, and no word is wider than a phone.
    expect(await page.evaluate(() => getComputedStyle(document.body, '::before').width)).toBe('1.5px')
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320)
    await shown.close()
  }
})

test('the page of a host that wakes names the note, goes on by itself and keeps its time', () => {
  verifies('wake.page', 'ui.plain-pages')
  const { body, headers } = waking('/v/club/Plans/Next%20year.md?x#y', 4)
  expect(body).toContain('Opening Next year<')
  expect(body).toMatch(/since-4".*4 s<.*Starting and connecting/)
  expect(body).toContain('http-equiv="refresh" content="1"')
  expect(headers['retry-after']).toBe('1')
  const late = waking('/v/club/%E0%A4%A', 95).body
  expect(late).toContain('Opening your vault<')
  expect(late).toMatch(/since-30".*95 s</)
  expect(late).toContain('tell an admin')
})
