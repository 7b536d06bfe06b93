import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { openCluster, settled } from '../support/cluster.ts'
import { until } from '../support/until.ts'

const cluster = openCluster()
const script = (name: string, ...args: string[]) =>
  promisify(execFile)(fileURLToPath(new URL(`../kubernetes/${name}`, import.meta.url)), args, { timeout: 120_000 })

test('a power cut of the node loses no acknowledged word, and all parts connect again', async () => {
  verifies('operator.power-cut')
  const state = process.env.SVC_KUBERNETES_STATE ?? ''
  expect(state, 'the node is one of ours').not.toBe('')
  const { person, org } = await cluster.hosted('Power cut')
  const before = (await cluster.volume(org))!
  let browser = await cluster.enter(person, org)
  const at = '/api/vaults/demo-vault/notes/Cut.md'
  const saved = await browser.send('PUT', at, {
    body: { content: 'acknowledged\n' },
    headers: { 'if-none-match': '*' },
  })
  expect(saved.status).toBe(201)

  await script('down.sh', '--keep', state)
  expect((await person.post(`/api/orgs/${org.slug}/vaults/demo-vault/entry`)).status).not.toBe(200)
  await script('up.sh', state)

  await until(
    'the vault is entered again',
    async () => {
      const { status } = await person.post(`/api/orgs/${org.slug}/vaults/demo-vault/entry`)
      return status === 200
    },
    { withinMs: 120_000, everyMs: 500 },
  )
  browser = await cluster.enter(person, org)
  expect((await browser.get(at)).body.note.content).toBe('acknowledged\n')
  await cluster.reaches(org.name, 'settled again', settled, 120_000)
  const after = (await cluster.volume(org))!
  expect([after.metadata.uid, after.spec.volumeName]).toEqual([before.metadata.uid, before.spec.volumeName])
  const since = performance.now()
  await cluster.hosted('After the cut')
  expect(performance.now() - since).toBeLessThan(45_000)
})
