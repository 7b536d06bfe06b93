import { execFileSync } from 'node:child_process'
import { Agent, request } from 'node:http'
import { readdir, readlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { call, startSvcd } from '../support/svcd.ts'
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

test('a request whose condition cannot be read leaves no file open', async () => {
  verifies('daemon.refused-conditions')
  const daemon = await startSvcd()
  onTestFinished(() => daemon.remove())
  await writeFile(daemon.file('demo-vault', 'film.mp4'), 'film')
  // Of a note that the daemon has written, it knows everything at once, so it sends the file as it is.
  const written = await call(daemon, '/api/vaults/demo-vault/notes/large.md', {
    method: 'PUT',
    headers: { 'content-type': 'text/markdown', 'if-none-match': '*' },
    body: 'words \n\n'.repeat(64 * 1024),
  })
  expect(written.status).toBe(201)
  const get = async (path: string, condition?: string) => {
    const headers = { accept: 'text/markdown, */*;q=0.5', ...(condition && { 'if-none-match': condition }) }
    return (await call(daemon, `/api/vaults/demo-vault/${path}`, { headers })).status
  }
  for (const path of ['attachments/film.mp4', 'notes/large.md']) {
    expect(await get(path)).toBe(200)
    for (let nth = 0; nth < 5; nth++) expect(await get(path, 'unquoted')).toBe(400)
  }
  await until('no file of the vault is open', async () => {
    const folder = `/proc/${daemon.process.pid}/fd`
    const names = await readdir(folder)
    const files = await Promise.all(names.map((name) => readlink(join(folder, name)).catch(() => '')))
    return !files.some((file) => /\.(?:mp4|md)$/.test(file))
  })
  // Node closes what nobody else closes, and says so.
  expect(daemon.output()).not.toContain('garbage collection')
})
