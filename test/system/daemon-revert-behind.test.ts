import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { HistoryAnswer } from '@svc/shared/wire/daemon/daemon-history.api.ts'
import { RevertResult } from '@svc/shared/wire/daemon/daemon-reverts.api.ts'
import { verifies } from '../requirements.ts'
import { ailingGit, FULL_DISK } from '../support/ailing-git.ts'
import { startRelayedDaemon } from '../support/relayed-daemon.ts'
import { removeFolder } from '../support/remove-folder.ts'

const VAULT = '/api/vaults/demo-vault'
const WISH = { actor: 'local', since: '2000-01-01T00:00:00Z' }

let folder: string
let git: ReturnType<typeof ailingGit>
let daemon: Awaited<ReturnType<typeof startRelayedDaemon>>
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-behind-'))
  git = ailingGit(folder)
})
afterEach(async () => {
  await daemon.close()
  await removeFolder(folder)
})

const start = async () => void (daemon = await startRelayedDaemon({ searchPath: await git.install('bin') }))
const put = (path: string, content: string) =>
  daemon.local(`${VAULT}/notes/${path}`, { method: 'PUT', json: { content } })
const remove = (path: string) =>
  daemon.local(`${VAULT}/notes/${path}`, { method: 'DELETE', headers: { 'if-match': '*' } })
const revert = () => daemon.local(`${VAULT}/revert`, { json: WISH })
const history = async (path: string) => HistoryAnswer.parse((await daemon.local(`${VAULT}/history/${path}`)).body)

test('a revert waits for changes that git cannot write, and leaves none of them out', { timeout: 60_000 }, async () => {
  verifies('revert.clock')
  await start()
  await put('x.md', 'words\n')
  expect((await history('x.md')).revisions).toHaveLength(1)
  await git.ail(FULL_DISK)
  await put('later.md', 'words\n')
  for (const attempt of ['the first one', 'one in the pause after it']) {
    const { status, body } = await revert()
    expect([attempt, status, body]).toMatchObject([
      attempt,
      503,
      { error: { code: 'server_busy', message: expect.stringContaining('history') } },
    ])
  }
  await git.heal()
  await expect.poll(async () => (await revert()).status, { timeout: 30_000, interval: 500 }).toBe(200)
  const { notes } = RevertResult.parse((await revert()).body)
  expect(notes.map(({ path }) => path).toSorted()).toEqual(['later.md', 'x.md'])
})

test('a deletion that git cannot write yet is undone by no member, from the history either', async () => {
  verifies('security.restore-own')
  await start()
  await put('x.md', 'words\n')
  const { revisions = [] } = await history('x.md')
  await git.ail(FULL_DISK)
  expect((await remove('x.md')).status).toBe(200)
  const restore = (role: 'member' | 'admin') =>
    daemon.person(role).call(`${VAULT}/history/x.md/restore`, { json: { rev: revisions[0]!.rev } })
  const { status, body } = await restore('member')
  expect([status, body]).toMatchObject([503, { error: { code: 'server_busy' } }])
  expect((await restore('admin')).status).toBe(201)
})

test('without git a revert says that there is no history', async () => {
  daemon = await startRelayedDaemon({ searchPath: join(folder, 'nowhere') })
  await put('x.md', 'words\n')
  const { status, body } = await revert()
  expect([status, body]).toMatchObject([404, { error: { message: expect.stringContaining('no history') } }])
})
