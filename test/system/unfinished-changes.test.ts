import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { call, runSvcd, startSvcd, type Svcd } from '../support/svcd.ts'

let daemon: Svcd | undefined
afterEach(() => daemon?.remove())

test('a start keeps the files of a change that it cannot understand, and doctor names them', async () => {
  verifies('changes.recovered')
  daemon = await startSvcd()
  const isReady = () => call(daemon!, '/api/ready').then(({ status }) => status)
  await expect.poll(isReady).toBe(200)
  await daemon.stop()
  const meta = join(daemon.home, 'vaults/demo-vault/.svc')
  await mkdir(join(meta, 'tmp'), { recursive: true })
  await writeFile(join(meta, 'tmp/0123456789abcdef01234567'), 'the only copy')
  await writeFile(join(meta, 'change.json'), '{"format":2}')

  await daemon.restart()
  await expect.poll(isReady).toBe(200)
  const aside = (await readdir(meta)).find((name) => name.startsWith('unfinished-'))!
  expect(await readFile(join(meta, aside, '0123456789abcdef01234567'), 'utf8')).toBe('the only copy')
  expect(daemon.output()).toContain(`.svc/${aside}`)
  const { code, stdout } = await runSvcd({ SVC_HOME: daemon.home }, ['doctor', '--json'])
  expect([code, stdout]).toEqual([1, expect.stringContaining(`.svc/${aside}`)])
  const note = { method: 'PUT', headers: { 'content-type': 'text/markdown', 'if-none-match': '*' }, body: '# New' }
  expect((await call(daemon, '/api/vaults/demo-vault/notes/new.md', note)).status).toBe(201)
  const moved = await call(daemon, '/api/vaults/demo-vault/move', { json: { from: 'new.md', to: 'moved.md' } })
  expect(moved.status, moved.text).toBe(200)
})
