import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { systemDisk, type Disk } from '../../daemon/src/files/disk/disk.ts'
import { verifies } from '../requirements.ts'
import { liveClient } from '../support/live-client.ts'
import { makePairVault, sendChange } from '../support/paired-changes.ts'
import { startRelayedDaemon } from '../support/relayed-daemon.ts'
import { call, newHome, startSvcd } from '../support/svcd.ts'
import { until } from '../support/until.ts'

const TIMES = 40
const LONGEST_MS = 8

test('a note moves while a folder goes to the trash in which notes link to it', async () => {
  verifies('links.move')
  const home = await newHome()
  const vault = join(home, 'vaults/v')
  for (let time = 0; time < TIMES; time++) {
    await mkdir(join(vault, `folder ${time}`), { recursive: true })
    for (const link of ['one', 'two', 'three'])
      await writeFile(join(vault, `folder ${time}/${link}.md`), `[[note ${time}]]\n`)
    await writeFile(join(vault, `note ${time}.md`), 'text\n')
  }
  const daemon = await startSvcd({ home })
  try {
    const api = (path: string, options?: Parameters<typeof call>[2]) => call(daemon, `/api/vaults/v${path}`, options)
    await until('the vault is read', async () => (await call(daemon, '/api/ready')).status === 200)
    for (let time = 0; time < TIMES; time++) {
      // Sooner or later, the move is planned while the folder is still there, and made after it is gone.
      const move = api('/move', { json: { from: `note ${time}.md`, to: `moved ${time}.md` } })
      await systemClock.sleep(time % LONGEST_MS)
      const removal = api(`/folders/folder%20${time}`, { method: 'DELETE' })
      const answers = await Promise.all([move, removal])
      expect(answers.map(({ status }) => status)).toEqual([200, 200])
      expect([existsSync(join(vault, `moved ${time}.md`)), existsSync(join(vault, `folder ${time}`))]).toEqual([
        true,
        false,
      ])
    }
  } finally {
    await daemon.remove()
  }
})

test('a revert that comes in the middle of a move of what it reverts is made', async () => {
  verifies('revert.reviewed')
  const daemon = await startSvcd({ env: { SVC_MAX_VAULTS: '100' } })
  try {
    for (let time = 0; time < TIMES / 2; time++) {
      const vault = await makePairVault(daemon, `v${time}`)
      const wish = { actor: 'local', since: '2000-01-01T00:00:00Z', path: 'a.md', dryRun: false }
      const [, revert] = await Promise.all([
        sendChange(daemon, vault, 'move a.md to m.md'),
        call(daemon, `${vault.url}/revert`, { json: wish }),
      ])
      expect(revert).toMatchObject({ status: 200 })
    }
  } finally {
    await daemon.remove()
  }
})

test('text of an open note that cannot be saved holds up what touches that note, and nothing else', async () => {
  verifies('live.moves-along', 'live.unsaved-apart')
  let isStuck = false
  const disk: Disk = {
    ...systemDisk,
    async rename(from, to) {
      if (isStuck && basename(to) === 'stuck.md') throw Object.assign(new Error('injected'), { code: 'EACCES' })
      await systemDisk.rename(from, to)
    },
  }
  const daemon = await startRelayedDaemon({ disk })
  onTestFinished(() => daemon.close())
  const api = async (path: string, options?: Parameters<typeof daemon.local>[1]) => {
    const { status, body } = await daemon.local(`/api/vaults/demo-vault${path}`, options)
    return [status, (body as { error?: { code: string } } | undefined)?.error?.code]
  }
  const agent = async (tool: string, args: object) => {
    const person = { sub: daemon.person('member').id, name: 'Ada', role: 'member' as const }
    const answer = await daemon.agentCall({ tool, arguments: { vaultId: 'demo-vault', ...args } }, person)
    expect(answer.status, answer.text).toBe(200)
  }
  const put = (path: string, content: string) => api(`/notes/${path}`, { method: 'PUT', json: { content } })
  const move = (from: string, to: string) => api('/move', { json: { from, to } })
  const revert = (path: string) =>
    api('/revert', { json: { client: 'Claude', since: '2000-01-01T00:00:00Z', path, dryRun: false } })
  const textAt = (path: string) => readFile(join(daemon.home, 'vaults/demo-vault', path), 'utf8')

  for (const path of ['target.md', 'link.md', 'other/note.md']) await put(path, '[[target]]\n')
  await agent('create_note', { path: 'made.md', content: 'by an agent\n' })
  await put('open/stuck.md', 'see [[linked]]\n')
  const { body } = await daemon.local('/api/vaults/demo-vault/notes/open/stuck.md')
  const { baseline } = (body as { note: { baseline: string } }).note
  await agent('edit_note', { path: 'open/stuck.md', baseline, edits: [{ oldText: 'see', newText: 'SEE' }] })
  await put('linked.md', 'linked\n')
  const live = liveClient({ url: () => daemon.urls.local, path: 'open/stuck.md' })
  onTestFinished(() => live.close())
  await live.reaches('durable')
  isStuck = true
  live.type('typed\n')
  await live.reaches('failed')

  expect(await move('target.md', 'moved.md')).toEqual([200, undefined])
  expect(await textAt('link.md')).toBe('[[moved]]\n')
  expect(await api('/folders/other', { method: 'DELETE' })).toEqual([200, undefined])
  expect(await revert('made.md')).toEqual([200, undefined])
  expect(await textAt('made.md').catch(() => 'gone')).toBe('gone')

  const denied = [403, 'file_access_denied']
  expect(await move('open/stuck.md', 'elsewhere.md')).toEqual(denied)
  expect(await move('open', 'elsewhere')).toEqual(denied)
  expect(await move('linked.md', 'renamed.md')).toEqual(denied)
  expect(await api('/folders/open', { method: 'DELETE' })).toEqual(denied)
  expect(await revert('open/stuck.md')).toEqual(denied)
  expect(await api('/ops/flush', { method: 'POST' })).toEqual(denied)
  expect(await textAt('linked.md')).toBe('linked\n')

  isStuck = false
  expect(await move('open', 'elsewhere')).toEqual([200, undefined])
  await live.reaches('durable')
  expect(await textAt('elsewhere/stuck.md')).toBe('SEE [[linked]]\ntyped\n')
})
