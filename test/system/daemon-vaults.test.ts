import { cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { DaemonHealth } from '@svc/shared/wire/daemon/daemon.api.ts'
import { HistoryAnswer } from '@svc/shared/wire/daemon/daemon-history.api.ts'
import { idPrefixes } from '@svc/shared/wire/ids.ts'
import { newId } from '@svc/shared/wire/new-id.ts'
import { verifies } from '../requirements.ts'
import { startRelayedDaemon } from '../support/relayed-daemon.ts'
import { call, startSvcd } from '../support/svcd.ts'
import { until } from '../support/until.ts'

let daemon: Awaited<ReturnType<typeof startRelayedDaemon>>
beforeEach(async () => {
  daemon = await startRelayedDaemon()
})
afterEach(() => daemon.close())

const at = (...parts: string[]) => join(daemon.home, 'vaults', ...parts)
const list = async () => {
  const { vaults } = (await daemon.local('/api/vaults')).body as { vaults: { id: string }[] }
  return vaults.map(({ id }) => id)
}
const listed = (...ids: string[]) =>
  until(`the vaults are ${ids.join(', ')}`, async () => (await list()).join() === ids.join())
const note = async (vault: string, path: string) =>
  ((await daemon.local(`/api/vaults/${vault}/notes/${path}`)).body as { note?: { content: string } }).note?.content
const authors = async (vault: string, path: string) => {
  const { body } = await daemon.local(`/api/vaults/${vault}/history/${path}`)
  return HistoryAnswer.parse(body).revisions?.map(({ author }) => author.id)
}

test('a directory that comes is a vault, a hidden one too; one that goes is none, and comes back with its history', async () => {
  verifies('vault.at-runtime', 'watch.nothing-lost')
  await mkdir(at('later/notes'), { recursive: true })
  await mkdir(at('.hidden'))
  await writeFile(at('later/notes/a.md'), '# A\n')
  await listed('.hidden', 'demo-vault', 'later')
  await until('the note is there', async () => (await note('later', 'notes/a.md')) === '# A\n')
  const saved = await daemon.local('/api/vaults/later/notes/b.md', {
    method: 'PUT',
    json: { content: 'by a request\n' },
  })
  expect(saved.status).toBe(201)

  await rename(at('later'), join(daemon.home, 'away'))
  await listed('.hidden', 'demo-vault')
  expect((await daemon.local('/api/vaults/later')).status).toBe(404)
  await rename(join(daemon.home, 'away'), at('later'))
  await listed('.hidden', 'demo-vault', 'later')
  await until('the vault is read', async () => (await note('later', 'b.md')) === 'by a request\n')
  expect(await authors('later', 'b.md')).toEqual(['local'])
})

test('the audit of a vault begins with who created it', async () => {
  verifies('audit.intent')
  const newest = async (vault: string) => {
    const { entries } = (await daemon.local(`/api/vaults/${vault}/audit`)).body as { entries: object[] }
    return entries
  }
  const act = { user: newId(idPrefixes.user) }
  const byPerson = { json: { slug: 'theirs', displayName: 'Theirs' } }
  expect((await daemon.service('/api/vaults', { act, scope: 'vaults:create' }, byPerson)).status).toBe(201)
  expect(await newest('theirs')).toEqual([expect.objectContaining({ actor: act.user, tool: 'create_vault', path: '' })])

  expect((await daemon.local('/api/vaults', { json: { slug: 'own', displayName: 'Own' } })).status).toBe(201)
  await daemon.local('/api/vaults/own/notes/x.md', { method: 'PUT', json: { content: 'x\n' } })
  expect(await newest('own')).toMatchObject([
    { path: 'x.md' },
    { actor: 'local', tool: 'create_vault', outcome: 'done' },
  ])

  const { bytes } = await daemon.bytes('/api/vaults/own/export')
  const imported = await daemon.local('/api/vaults/import?slug=copy&displayName=Copy', {
    method: 'POST',
    headers: { 'content-type': 'application/zip' },
    body: bytes,
  })
  expect(imported.status).toBe(201)
  expect(await newest('copy')).toMatchObject([{ actor: 'local', tool: 'import_vault' }])
})

test('a vault that gets another name keeps its history', async () => {
  verifies('vault.at-runtime')
  await daemon.local('/api/vaults/demo-vault/notes/x.md', { method: 'PUT', json: { content: 'x\n' } })
  await rename(at('demo-vault'), at('renamed'))
  await listed('renamed')
  await until('the note is there', async () => (await note('renamed', 'x.md')) === 'x\n')
  expect(await authors('renamed', 'x.md')).toEqual(['local'])
  const { entries } = (await daemon.local('/api/vaults/renamed/audit')).body as { entries: { path: string }[] }
  expect(entries.map(({ path }) => path)).toContain('x.md')
})

test('a copy of a vault is not served, and is named by health until it is a vault of its own', async () => {
  verifies('vault.refused-at-runtime')
  // Copy it elsewhere and move it in as a whole: half a copy would count as another vault for a moment.
  await cp(at('demo-vault'), join(daemon.home, 'copied'), { recursive: true })
  await rename(join(daemon.home, 'copied'), at('copy'))
  const refused = async () => DaemonHealth.parse((await daemon.local('/api/health')).body).status.refusedVaults
  const named = [{ name: 'copy', reason: 'has the same identity as demo-vault' }]
  await until('the copy is named', async () => isDeepStrictEqual(await refused(), named))
  await listed('demo-vault')

  await rm(at('copy/.svc/vault.json'))
  await listed('copy', 'demo-vault')
  await until('nothing is named', async () => (await refused()) === undefined)
  const identity = async (id: string) =>
    (JSON.parse(await readFile(at(id, '.svc/vault.json'), 'utf8')) as { identity: string }).identity
  expect(await identity('copy')).not.toBe(await identity('demo-vault'))
})

test('a directory that is emptied, as by a volume that is unmounted, deletes nothing', async () => {
  verifies('watch.nothing-lost')
  await until('it is indexed', async () => (await daemon.local('/api/ready')).status === 200)
  await until('its history has begun', async () => (await authors('demo-vault', 'README.md'))?.length === 1)
  const before = await daemon.local('/api/vaults/demo-vault/tree')
  await rename(at('demo-vault'), join(daemon.home, 'mounted'))
  await mkdir(at('demo-vault'))
  const refused = async () => DaemonHealth.parse((await daemon.local('/api/health')).body).status.refusedVaults
  const named = [{ name: 'demo-vault', reason: 'has lost its .svc/vault.json' }]
  await until('it is named', async () => isDeepStrictEqual(await refused(), named))
  expect((await daemon.local('/api/vaults/demo-vault/tree')).body).toEqual(before.body)

  await rm(at('demo-vault'), { recursive: true })
  await rename(join(daemon.home, 'mounted'), at('demo-vault'))
  await until(
    'it is served again',
    async () => (await refused()) === undefined && (await list()).includes('demo-vault'),
  )
  expect(await authors('demo-vault', 'README.md')).toEqual(['outside'])
})

test('requests on a vault that is closed are answered or refused with a typed failure, and its event streams end', async () => {
  verifies('vault.closing')
  const events = await fetch(`${daemon.urls.local}/api/vaults/demo-vault/events`)
  const streamed = events.text()
  const answers = new Map<string, number>()
  let isOver = false
  const ask = async (path: string, options?: Parameters<typeof daemon.local>[1]) => {
    while (!isOver) {
      const { status, body } = await daemon.local(`/api/vaults/demo-vault${path}`, options)
      const { code = '' } = (body as { error?: { code: string } }).error ?? {}
      answers.set(`${status} ${code}`, (answers.get(`${status} ${code}`) ?? 0) + 1)
    }
  }
  const asking = [
    ...['a', 'b', 'c'].map((name) =>
      ask(`/notes/${name}.md`, { method: 'PUT', headers: { 'if-match': '*' }, json: { content: name } }),
    ),
    ask('/search?q=vault'),
    ask('/report'),
    ask('/tree'),
    ask('/move', { method: 'POST', json: { from: 'a.md', to: 'moved/a.md' } }),
  ]
  await until('it is busy', () => answers.size > 1)
  await rename(at('demo-vault'), join(daemon.home, 'away'))
  const isKnown = async () => (await daemon.local('/api/vaults/demo-vault/tree')).status !== 404
  await until('the vault is gone', async () => !(await isKnown()))
  isOver = true
  await Promise.all(asking)
  expect([...answers.keys()].filter((answer) => answer.startsWith('500'))).toEqual([])
  expect(await streamed).toMatch(/event: gone\nid: .*\ndata: {"reason":"vault_closing"}\n\n$/)
})

test('creating more vaults than the daemon may have is refused with what to do; one made by hand is served', async () => {
  verifies('limits.vaults')
  const svcd = await startSvcd({ env: { SVC_MAX_VAULTS: '2' } })
  try {
    const create = (slug: string) => call(svcd, '/api/vaults', { json: { displayName: slug, slug } })
    expect((await create('second')).status).toBe(201)
    const refused = await create('third')
    expect([refused.status, refused.body]).toMatchObject([
      409,
      {
        error: {
          code: 'too_many_vaults',
          details: { maxVaults: 2 },
          message: expect.stringContaining('SVC_MAX_VAULTS'),
        },
      },
    ])
    await mkdir(join(svcd.home, 'vaults/by-hand'))
    await until('it is served', async () => (await call(svcd, '/api/vaults/by-hand')).status === 200)
  } finally {
    await svcd.remove()
  }
})
