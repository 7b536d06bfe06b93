import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { AuditList, Tree, type TreeNode } from '@svc/shared/wire/daemon/daemon.api.ts'
import { ErrorBody } from '@svc/shared/wire/error-body.ts'
import { verifies } from '../requirements.ts'
import { startRelayedDaemon } from '../support/relayed-daemon.ts'

let daemon: Awaited<ReturnType<typeof startRelayedDaemon>>
beforeEach(async () => {
  daemon = await startRelayedDaemon()
})
afterEach(() => daemon.close())

const at = (path: string) => join(daemon.home, 'vaults/demo-vault', path)
const api = (path: string, options?: Parameters<typeof daemon.local>[1]) =>
  daemon.local(`/api/vaults/demo-vault${path}`, options)
const put = (path: string, content: string) => api(`/notes/${path}`, { method: 'PUT', json: { content } })
const make = (path: string) => api(`/folders/${path}`, { method: 'POST' })
const remove = (path: string) => api(`/folders/${path}`, { method: 'DELETE' })
const codeOf = (answer: { body: unknown }) => ErrorBody.parse(answer.body).error.code
const paths = (nodes: TreeNode[]): string[] =>
  nodes.flatMap((node) => [node.path, ...(node.kind === 'folder' ? paths(node.children) : [])])
const tree = async () => Tree.parse((await api('/tree')).body).tree
const trash = async () =>
  ((await api('/trash')).body as { entries: { id: string; path: string; kind: string }[] }).entries

test('a folder is made with those above it, once', async () => {
  verifies('daemon.folders')
  expect((await make('a/b')).status).toBe(201)
  expect(paths(await tree())).toEqual(expect.arrayContaining(['a', 'a/b']))
  expect((await make('a/b')).status).toBe(200)
  expect(codeOf(await make('A/c'))).toBe('path_conflict')
  expect(codeOf(await make('README.md'))).toBe('path_conflict')
  for (const path of ['..%2fx', '.svc/x', 'CON', 'x%2f..%2f..%2fy']) expect((await make(path)).status).toBe(400)
  const { entries } = AuditList.parse((await api('/audit?limit=1')).body)
  expect(entries[0]).toMatchObject({ tool: 'create_folder', path: 'a/b', outcome: 'done' })
})

test('a new folder has its name in normal form C, below parents of other programs too', async () => {
  verifies('daemon.folders')
  const [composed, decomposed] = ['caf\u00e9', 'cafe\u0301']
  const made = await make(encodeURIComponent(decomposed))
  expect([made.status, made.body]).toEqual([201, { ok: true, folder: { path: composed } }])
  const { entries } = AuditList.parse((await api('/audit?limit=1')).body)
  expect(entries[0]).toMatchObject({ tool: 'create_folder', path: composed })
  expect(await readdir(at(''))).toContain(composed)
  expect((await put(`${encodeURIComponent(composed)}/n.md`, 'x')).status).toBe(201)
  const again = await make(encodeURIComponent(decomposed))
  expect([again.status, again.body]).toEqual([200, { ok: true, folder: { path: composed } }])

  await mkdir(at(`other/${decomposed}`), { recursive: true })
  const below = await make(`other/${encodeURIComponent(`${decomposed}/${decomposed}/x`)}`)
  expect(below.body).toEqual({ ok: true, folder: { path: `other/${decomposed}/${composed}/x` } })
  expect(await readdir(at('other'))).toEqual([decomposed])
  expect(await readdir(at(`other/${decomposed}`))).toEqual([composed])
})

test.each([
  ['composed', 'caf\u00e9'],
  ['decomposed', 'cafe\u0301'],
])(
  'below a folder whose name another program decomposed, everything is reached by its %s name',
  async (_form, form) => {
    verifies('daemon.folders')
    const folder = 'cafe\u0301'
    await mkdir(at(`mac/${folder}`), { recursive: true })
    await writeFile(at(`mac/${folder}/theirs.md`), 'theirs')
    const asked = encodeURIComponent(form)
    expect((await make(`mac/${asked}`)).body).toEqual({ ok: true, folder: { path: `mac/${folder}` } })
    const created = await put(`mac/${asked}/n%C3%A9.md`, 'one')
    expect([created.status, created.body]).toMatchObject([201, { note: { path: `mac/${folder}/n\u00e9.md` } }])
    const attached = await api(`/attachments/mac/${asked}/x.bin`, { method: 'PUT', body: 'bytes' })
    expect([attached.status, attached.body]).toMatchObject([201, { attachment: { path: `mac/${folder}/x.bin` } }])

    await put('n.md', 'two')
    const moved = { from: 'n.md', to: `mac/${form}/moved.md`, dryRun: false }
    expect((await api('/move', { json: moved })).status).toBe(200)
    await api(`/notes/mac/${asked}/moved.md`, { method: 'DELETE' })
    const [entry] = await trash()
    const restored = await api(`/trash/${entry?.id}/restore`, { json: { path: `mac/${form}/back.md` } })
    expect(restored.body).toMatchObject({ path: `mac/${folder}/back.md` })

    expect(await readdir(at('mac'))).toEqual([folder])
    expect((await readdir(at(`mac/${folder}`))).toSorted()).toEqual(['back.md', 'n\u00e9.md', 'theirs.md', 'x.bin'])
  },
)

test('what was stored under a decomposed path is reached by it, as by the composed one that it has', async () => {
  verifies('daemon.folders')
  const [composed, asked] = ['Th\u00e9.md', encodeURIComponent('The\u0301.md')]
  const created = await put(asked, 'one')
  expect([created.status, created.body]).toMatchObject([201, { note: { path: composed } }])
  const again = await api(`/notes/${asked}`, {
    method: 'PUT',
    json: { content: 'two' },
    headers: { 'if-none-match': '*' },
  })
  expect([again.status, again.body]).toMatchObject([409, { error: { code: 'note_exists' } }])
  const headers = { 'if-match': created.headers.get('etag')! }
  expect((await api(`/notes/${asked}`, { method: 'PUT', json: { content: 'two' }, headers })).status).toBe(200)
  expect((await api(`/notes/${asked}`)).body).toMatchObject({ note: { path: composed, content: 'two' } })
  expect((await api(`/notes/${asked}`, { method: 'DELETE' })).status).toBe(200)
})

test.each([
  ['composed', 'cafe\u0301', 'caf\u00e9'],
  ['decomposed', 'caf\u00e9', 'cafe\u0301'],
])('a folder is listed, moved and deleted by its %s name as well', async (_form, folder, asked) => {
  verifies('daemon.folders')
  const theirs = async () => {
    await mkdir(at(`mac/${folder}`), { recursive: true })
    await writeFile(at(`mac/${folder}/n.md`), 'theirs')
  }
  await theirs()
  const url = `mac/${encodeURIComponent(asked)}`
  await expect.poll(async () => (await api(`/notes/mac/${encodeURIComponent(folder)}/n.md`)).status).toBe(200)
  await expect.poll(async () => paths(await tree())).toContain(`mac/${folder}/n.md`)
  const listed = Tree.parse((await api(`/tree?path=${encodeURIComponent(`mac/${asked}`)}`)).body).tree
  expect(paths(listed)).toEqual([`mac/${folder}/n.md`])
  const move = { from: `mac/${asked}`, to: 'moved', dryRun: false }
  expect((await api('/move', { json: move })).body).toMatchObject({ from: `mac/${folder}`, kind: 'folder' })
  await theirs()
  expect((await remove(url)).body).toMatchObject({ path: `mac/${folder}`, trashed: true })
  expect(await readdir(at('mac'))).toEqual([])
})

test('a folder is deleted as a whole and restored byte for byte', async () => {
  verifies('daemon.folders', 'vault.soft-delete')
  await put('f/one.md', '# One\r\nquetzal\n')
  await put('f/deep/two.md', 'two')
  await api('/attachments/f/x.bin', { method: 'PUT', body: 'bytes' })
  expect((await remove('f')).body).toEqual({ ok: true, path: 'f', trashed: true })
  expect(paths(await tree()).filter((path) => path.startsWith('f'))).toEqual([])
  expect((await api('/search?q=quetzal')).body).toMatchObject({ total: 0 })
  expect((await remove('f')).status).toBe(404)
  const [entry] = await trash()
  expect(entry).toMatchObject({ path: 'f', kind: 'folder' })

  await make('f')
  expect(codeOf(await api(`/trash/${entry?.id}/restore`, { json: {} }))).toBe('note_exists')
  expect((await api(`/trash/${entry?.id}/restore`, { json: { path: 'g/back' } })).body).toMatchObject({
    path: 'g/back',
  })
  expect(await readFile(at('g/back/one.md'), 'utf8')).toBe('# One\r\nquetzal\n')
  expect((await readdir(at('g/back'))).sort()).toEqual(['deep', 'one.md', 'x.bin'])
  expect((await api('/search?q=quetzal')).body).toMatchObject({ total: 1 })
  expect(await trash()).toEqual([])
})

test('a write into a folder that is being removed is refused or kept, never lost in the trash', async () => {
  verifies('daemon.folders')
  for (let round = 0; round < 10; round++) {
    await put('busy/first.md', 'x')
    const [written] = await Promise.all([put(`busy/n${round}.md`, 'mine'), remove('busy')])
    const inVault = await readFile(at(`busy/n${round}.md`), 'utf8').catch(() => undefined)
    const kept = await trash()
    const inTrash = await Promise.all(
      kept.map(({ id }) => readFile(at(`.svc/trash/${id}/content/n${round}.md`), 'utf8').catch(() => undefined)),
    )
    expect([201, 404, 409]).toContain(written.status)
    if (written.status === 201) expect([inVault, ...inTrash]).toContain('mine')
  }
})

test('a member brings back only folders that they removed', async () => {
  verifies('security.restore-own')
  const [admin, member] = [daemon.person('admin'), daemon.person('member')]
  await put('theirs/n.md', 'x')
  await admin.call('/api/vaults/demo-vault/folders/theirs', { method: 'DELETE' })
  const [entry] = await trash()
  const url = `/api/vaults/demo-vault/trash/${entry?.id}/restore`
  expect((await member.call(url, { json: {} })).status).toBe(403)
  expect((await admin.call(url, { json: {} })).status).toBe(200)
})

test('a folder that is removed for good takes the revisions of its notes along', async () => {
  verifies('security.purged-history')
  await put('gone/n.md', 'secret')
  const revisions = async () => ((await api('/history/gone/n.md')).body as { revisions: unknown[] }).revisions.length
  expect(await revisions()).toBe(1)
  await remove('gone')
  expect(await revisions()).toBe(2)
  const [entry] = await trash()
  expect((await api(`/trash/${entry?.id}`, { method: 'DELETE' })).status).toBe(200)
  expect(await revisions()).toBe(0)
})

test('folders.yml orders and names folders, and stays as it was written', async () => {
  verifies('daemon.folders-file')
  for (const path of ['alpha', 'beta', 'gamma']) await make(path)
  const text = '# mine\r\nfolders:\r\n  gamma: { order: 1, displayName: "Γ", colour: red }\r\n  beta: nonsense\r\n'
  await writeFile(at('.svc/folders.yml'), text)
  const folders = (await tree()).filter((node) => node.kind === 'folder')
  expect(folders.map(({ path, displayName }) => [path, displayName])).toEqual([
    ['gamma', 'Γ'],
    ['alpha', undefined],
    ['beta', undefined],
    ['notes', undefined],
  ])
  await remove('gamma')
  expect(await readFile(at('.svc/folders.yml'), 'utf8')).toBe(text)
  const manyFolders = Array.from({ length: 900 }, (_, index) => `  folder-${index}: { order: ${index} }\n`).join('')
  await writeFile(at('.svc/folders.yml'), `folders:\n  beta: { displayName: "β" }\n${manyFolders}`)
  expect((await tree()).find(({ path }) => path === 'beta')).toMatchObject({ displayName: 'β' })
  for (const broken of [`folders: ${'['.repeat(5000)}`, '#'.repeat(2 ** 20 + 1)]) {
    await writeFile(at('.svc/folders.yml'), broken)
    expect((await api('/tree')).status).toBe(200)
  }
})
