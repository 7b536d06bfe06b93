import { afterAll, expect, test } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { verifies } from '../requirements.ts'
import { helmPlatform, type HelmPlatform } from '../support/helm-platform.ts'

const note = '/api/vaults/demo-vault/notes/First.md'

let platform: HelmPlatform
afterAll(() => platform?.remove(), 300_000)

test(
  'Helm installs the platform into restricted namespaces; the setup link makes its admin',
  { timeout: 600_000 },
  async () => {
    verifies('chart.installs')
    const since = systemClock.monotonic()
    platform = await helmPlatform()
    console.log(`installed, with an admin, in ${seconds(since)}`)
    expect(await platform.release.test()).not.toContain('FAILED')
    expect((await platform.admin.get('/api/admin/status')).status).toBe(200)
  },
)

test('somebody signs up, has an organization hosted, enters its vault and writes', { timeout: 300_000 }, async () => {
  verifies('hosted.reaches-running')
  const { cluster, images } = platform
  const since = systemClock.monotonic()
  const { person, org } = await cluster.hosted('Newcomers')
  console.log(`from sign-up to a daemon that runs in ${seconds(since)}`)
  const pod = await cluster.pod(org)
  expect(pod.spec.containers[0]?.image).toBe(images.first)

  const browser = await cluster.enter(person, org)
  const saved = await browser.send('PUT', note, { body: { content: '# First\n' }, headers: { 'if-none-match': '*' } })
  expect(saved.status, saved.text).toBe(201)
  expect((await browser.get(note)).body.note.content).toBe('# First\n')
  expect((await browser.get('/', { headers: { accept: 'text/html' } })).status).toBe(200)
})

const seconds = (since: number) => `${((systemClock.monotonic() - since) / 1_000).toFixed(1)} s`
