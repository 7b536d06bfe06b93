import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { liveClient } from '../support/live-client.ts'
import { call, startSvcd, type Svcd } from '../support/svcd.ts'
import { until } from '../support/until.ts'

// Notes whose paths differ in nothing but capitals or normal form: after a move, and side by side.

let daemon: Svcd
beforeAll(async () => {
  daemon = await startSvcd()
})
afterAll(() => daemon.remove())

const vault = '/api/vaults/demo-vault'
const file = (path: string) => daemon.file('demo-vault', path)
const onDisk = (path: string) => readFile(file(path), 'utf8')
async function put(path: string, text: string) {
  const headers = { 'if-none-match': '*', 'content-type': 'text/markdown' }
  const answer = await call(daemon, `${vault}/notes/${encodeURI(path)}`, { method: 'PUT', headers, body: text })
  expect(answer.status).toBe(201)
}
const move = async (from: string, to: string) =>
  expect((await call(daemon, `${vault}/move`, { json: { from, to } })).status).toBe(200)

async function open(path: string) {
  const client = liveClient({ url: () => daemon.url, path })
  onTestFinished(() => client.close())
  await client.reaches('durable')
  return client
}

test('an open note whose name or folder is moved to other capitals stays open, and its text goes to the file', async () => {
  verifies('live.moved-followed')
  await put('plan.md', 'plan\n')
  await put('projects/a.md', 'a\n')
  const [plan, a] = [await open('plan.md'), await open('projects/a.md')]
  await move('plan.md', 'Plan.md')
  await move('projects', 'Projects')
  const again = await open('Plan.md')
  plan.type('typed\n')
  a.type('typed\n')
  await again.shows((text) => text === 'plan\ntyped\n')
  await Promise.all([plan.reaches('durable'), a.reaches('durable')])
  expect(await Promise.all([onDisk('Plan.md'), onDisk('Projects/a.md')])).toEqual(['plan\ntyped\n', 'a\ntyped\n'])
})

test('an open note that another program renames to other capitals stays open', async () => {
  verifies('live.outside-rename')
  await put('outside.md', 'outside\n')
  const client = await open('outside.md')
  await rename(file('outside.md'), file('Outside.md'))
  client.type('typed\n')
  await client.reaches('durable')
  await until('the file has the text', async () => (await onDisk('Outside.md')) === 'outside\ntyped\n')
})

test('two notes whose names differ only in capitals or normal form are open apart', async () => {
  verifies('live.outside-enters')
  const [composed, decomposed] = ['caf\u00E9.md', 'cafe\u0301.md']
  const pairs = [
    ['README.md', 'readme.md'],
    [composed, decomposed],
  ] as const
  for (const path of pairs.flat()) await writeFile(file(path), `${path}\n`)
  await until('all are known', async () => {
    const { body } = await call<{ tree: { path: string }[] }>(daemon, `${vault}/tree`)
    return pairs.flat().every((path) => body.tree.some((node) => node.path === path))
  })

  for (const [one, twin] of pairs) {
    const [first, second] = [await open(one), await open(twin)]
    expect([first.shown(), second.shown()]).toEqual([`${one}\n`, `${twin}\n`])
    first.type('typed\n')
    await first.reaches('durable')
    await writeFile(file(twin), 'changed outside\n')
    await second.shows((text) => text === 'changed outside\n')
    expect([await onDisk(one), first.shown()]).toEqual([`${one}\ntyped\n`, `${one}\ntyped\n`])
    await rm(file(twin))
    await second.reaches('gone')
    first.type('more\n')
    await first.reaches('durable')
    expect(await onDisk(one)).toBe(`${one}\ntyped\nmore\n`)
  }
})
