import { execFileSync } from 'node:child_process'
import { Agent, request } from 'node:http'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { startSvcd } from '../support/svcd.ts'
import { until } from '../support/until.ts'

// Fewer than the daemon has open, so that it can open nothing more.
const NONE_FREE = 10
const lacksFiles = { status: 503, body: { error: { code: 'too_many_open_files' } } }

test('a daemon without a free file descriptor refuses what needs one, keeps its history, and goes on with the next', async () => {
  verifies('history.behind')
  const daemon = await startSvcd()
  onTestFinished(() => daemon.remove())
  // One connection that stays open: a new one would need a descriptor too.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  const ask = async (method: string, path: string, body?: string) => {
    const headers = body === undefined ? {} : { 'content-type': 'text/markdown', 'if-none-match': '*' }
    const asked = request(new URL(`/api/vaults/demo-vault/${path}`, daemon.url), { method, agent, headers }).end(body)
    const answer = await new Promise<import('node:http').IncomingMessage>((resolve, reject) =>
      asked.once('response', resolve).once('error', reject),
    )
    return { status: answer.statusCode, body: JSON.parse(await text(answer)) as Record<string, unknown> }
  }
  const limit = (files: number) => execFileSync('prlimit', ['--pid', String(daemon.process.pid), `--nofile=${files}:`])
  const revisions = async () => (await ask('GET', 'history/kept.md')).body.revisions

  expect((await ask('PUT', 'notes/kept.md', '# Kept\n')).status).toBe(201)
  expect(await revisions()).toHaveLength(1)

  limit(NONE_FREE)
  const refused = await ask('PUT', 'notes/refused.md', '# Refused\n')
  expect(refused).toMatchObject(lacksFiles)
  expect(await ask('GET', 'history/kept.md')).toMatchObject(lacksFiles)

  limit(1024)
  await until('the history is read again', async () => (await ask('GET', 'history/kept.md')).status === 200)
  expect(await revisions()).toHaveLength(1)
  expect((await ask('PUT', 'notes/refused.md', '# Taken\n')).status).toBe(201)
  const kept = await readdir(join(daemon.home, 'daemon/history'))
  expect(kept.filter((name) => name.includes('damaged'))).toEqual([])
  expect(await daemon.stop()).toBe(0)
})
