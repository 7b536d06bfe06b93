import { mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { AuditList, Note, SearchResult, Tree, VaultInfo, type TreeNode } from '@svc/shared/wire/daemon/daemon.api.ts'
import { ErrorBody } from '@svc/shared/wire/error-body.ts'
import { PersonHere } from '@svc/shared/wire/person.api.ts'
import { verifies } from '../requirements.ts'
import { successesWithoutOk, type OpenApiPaths } from '../support/openapi-successes.ts'
import { call, rawRequest, startSvcd, type Svcd } from '../support/svcd.ts'
import { until } from '../support/until.ts'

let daemon: Svcd
const api = (path: string, options?: Parameters<typeof call>[2]) => call(daemon, `/api${path}`, options)
const demo = (path: string, options?: Parameters<typeof call>[2]) => api(`/vaults/demo-vault${path}`, options)
const put = (path: string, content: string, headers: Record<string, string> = {}) =>
  demo(`/notes/${path}`, { method: 'PUT', json: { content }, headers })
const codeOf = (body: unknown) => ErrorBody.parse(body).error.code
const etagOf = (answer: { headers: Headers }) => answer.headers.get('etag') ?? ''
const paths = (nodes: TreeNode[]): string[] =>
  nodes.flatMap((node) => [node.path, ...(node.kind === 'folder' ? paths(node.children) : [])])
const found = async (q: string) =>
  SearchResult.parse((await demo(`/search?q=${encodeURIComponent(q)}`)).body).hits.map(({ path }) => path)

beforeAll(async () => {
  daemon = await startSvcd({
    env: {
      SVC_MAX_NOTE_BYTES: '20000',
      SVC_MAX_ATTACHMENT_BYTES: '5000',
      SVC_SEARCH_DEADLINE_MS: '60000',
      SVC_LOG_LEVEL: 'debug',
    },
  })
})
afterAll(() => daemon.remove())

describe('vaults', () => {
  test('a new one is there at once', async () => {
    verifies('daemon.create-vault', 'daemon.vaults')
    const made = await api('/vaults', { json: { displayName: 'Team', slug: 'team' } })
    expect([made.status, made.body]).toEqual([201, { ok: true, vault: { id: 'team', displayName: 'Team' } }])
    const listed = async () => (await api('/vaults')).body as { vaults: { id: string }[] }
    expect((await listed()).vaults.map(({ id }) => id)).toEqual(['demo-vault', 'team'])
    // The number of notes is known once the vault is indexed.
    await expect.poll(listed).toEqual({
      ok: true,
      vaults: [
        { id: 'demo-vault', displayName: 'Demo vault', notes: 3, news: [] },
        { id: 'team', displayName: 'Team', notes: 3, news: [] },
      ],
    })
    expect((await api('/vaults/team/tree')).status).toBe(200)
    expect((await readdir(daemon.file('team', ''))).sort()).toEqual(['.svc', 'README.md', 'notes'])
  })

  test('its information has counts, bytes, states and the settings that hold for it', async () => {
    verifies('vault.information')
    const info = async () => VaultInfo.parse((await demo('')).body).vault
    await expect.poll(async () => (await info()).index.state).toBe('ready')
    expect(await info()).toMatchObject({
      id: 'demo-vault',
      notes: expect.any(Number) as number,
      bytes: expect.any(Number) as number,
      settings: { maxNoteBytes: 20_000, maxAttachmentBytes: 5000 },
    })
  })

  test('of several created with one name exactly one succeeds', async () => {
    verifies('vault.created-once')
    const made = await Promise.all(
      Array.from({ length: 5 }, () => api('/vaults', { json: { displayName: 'R', slug: 'race' } })),
    )
    expect(made.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409])
    expect((await readdir(daemon.file('', ''))).filter((name) => name.startsWith('.'))).toEqual([])
  })

  test.each([
    [{ displayName: 'x' }, 'slug'],
    [{ displayName: ' ', slug: 'ok-name' }, 'displayName'],
    [{ displayName: 'x', slug: '../evil' }, 'slug'],
    [{ displayName: 'x', slug: 'Upper' }, 'slug'],
  ])('%j is refused with its path', async (json, path) => {
    verifies('error.paths')
    const answer = await api('/vaults', { json })
    expect(answer.status).toBe(400)
    expect((answer.body as { error: { details: { path: string }[] } }).error.details.map((one) => one.path)).toContain(
      path,
    )
  })

  test('tree to a depth and below a folder', async () => {
    verifies('daemon.tree')
    await put('deep/er/x.md', '# X\n')
    const whole = Tree.parse((await demo('/tree')).body).tree
    expect(paths(whole)).toEqual(expect.arrayContaining(['README.md', 'deep', 'deep/er', 'deep/er/x.md']))
    const shallow = Tree.parse((await demo('/tree?depth=1')).body).tree
    expect(shallow.find(({ path }) => path === 'deep')).toMatchObject({ children: [], truncated: true })
    expect(paths(Tree.parse((await demo('/tree?path=deep')).body).tree)).toEqual(['deep/er', 'deep/er/x.md'])
    expect((await demo('/tree?depth=0')).status).toBe(400)
    expect((await demo('/tree?path=../..')).status).toBe(400)
    expect((await demo('/tree?path=none')).status).toBe(404)
    expect((await api('/vaults/none/tree')).status).toBe(404)
  })
})

describe('notes', () => {
  test('nothing is created where there is a file that is not a note, or is too large for one', async () => {
    verifies('notes.create-refuses')
    const files = { 'e/bytes.md': Buffer.from([0x23, 0xff]), 'e/large.md': Buffer.alloc(30_000, 'x') }
    await mkdir(daemon.file('demo-vault', 'e'), { recursive: true })
    for (const [path, bytes] of Object.entries(files)) {
      await writeFile(daemon.file('demo-vault', path), bytes)
      const refused = await put(path, 'x', { 'if-none-match': '*' })
      expect([refused.status, ErrorBody.parse(refused.body).error]).toMatchObject([
        409,
        { code: 'note_exists', details: { path } },
      ])
      expect(await readFile(daemon.file('demo-vault', path))).toEqual(bytes)
    }
    // Whoever does not say that the note must be new is told what the file is.
    expect(codeOf((await put('e/bytes.md', 'x', { 'if-match': '*' })).body)).toBe('not_found')
    expect(codeOf((await put('e/large.md', 'x', { 'if-match': '*' })).body)).toBe('payload_too_large')
    await rm(daemon.file('demo-vault', 'e'), { recursive: true })
  })

  test('create, read, replace, delete, restore', async () => {
    verifies(
      'notes.preconditions',
      'notes.baseline-etag',
      'vault.soft-delete',
      'notes.as-bytes',
      'notes.changed-baseline',
    )
    const made = await put('j/a.md', '# A\n', { 'if-none-match': '*' })
    expect(made.status).toBe(201)
    expect(codeOf((await put('j/a.md', 'x', { 'if-none-match': '*' })).body)).toBe('note_exists')
    expect(codeOf((await put('j/a.md', 'x')).body)).toBe('invalid_request')
    expect(codeOf((await put('j/a.md', 'x', { 'if-match': '"000000000000000000000000"' })).body)).toBe('stale_doc')
    expect(codeOf((await put('j/none.md', 'x', { 'if-match': '*' })).body)).toBe('not_found')
    expect(await readFile(daemon.file('demo-vault', 'j/a.md'), 'utf8')).toBe('# A\n')

    const replaced = await put('j/a.md', '# B\r\n', { 'if-match': etagOf(made) })
    expect(replaced.status).toBe(200)
    const read = await demo('/notes/j/a.md')
    expect(Note.parse(read.body).note).toMatchObject({
      content: '# B\r\n',
      title: 'B',
      baseline: etagOf(replaced).slice(1, -1),
    })
    expect((await demo('/notes/j/a.md', { headers: { 'if-none-match': etagOf(read) } })).status).toBe(304)
    const raw = await demo('/notes/j/a.md', { headers: { accept: 'text/markdown' } })
    expect([raw.text, raw.headers.get('content-type')]).toEqual(['# B\r\n', 'text/markdown; charset=utf-8'])

    expect(
      codeOf((await demo('/notes/j/a.md', { method: 'DELETE', headers: { 'if-match': etagOf(made) } })).body),
    ).toBe('stale_doc')
    expect(
      (await demo('/notes/j/a.md', { method: 'DELETE', headers: { 'if-match': etagOf(read) } })).body,
    ).toMatchObject({ trashed: true })
    expect((await demo('/notes/j/a.md')).status).toBe(404)
    const { entries } = (await demo('/trash')).body as { entries: { id: string; path: string }[] }
    const entry = entries.find(({ path }) => path === 'j/a.md')
    expect((await demo(`/trash/${entry?.id}/restore`, { json: {} })).body).toEqual({
      ok: true,
      path: 'j/a.md',
      baseline: etagOf(read).slice(1, -1),
    })
    expect(etagOf(await demo('/notes/j/a.md'))).toBe(etagOf(read))
    expect((await demo('/notes/j/a.md?permanent=true', { method: 'DELETE' })).body).toMatchObject({ trashed: false })
    expect(((await demo('/trash')).body as { entries: unknown[] }).entries).toEqual([])
  })

  test('raw Markdown is taken byte for byte', async () => {
    verifies('notes.as-bytes')
    const body = '\uFEFF# Bytes\r\nend'
    const made = await demo('/notes/raw.md', { method: 'PUT', body, headers: { 'content-type': 'text/markdown' } })
    expect(made.status).toBe(201)
    expect(await readFile(daemon.file('demo-vault', 'raw.md'), 'utf8')).toBe(body)
    const broken = await demo('/notes/bad.md', {
      method: 'PUT',
      body: Buffer.from([0xff]),
      headers: { 'content-type': 'text/markdown' },
    })
    expect(codeOf(broken.body)).toBe('invalid_request')
  })

  test('of several writers with the same baseline exactly one succeeds', async () => {
    verifies('notes.twin-writers')
    const made = await put('race.md', '0')
    const writers = Array.from({ length: 8 }, (_, index) => put('race.md', `w${index}`, { 'if-match': etagOf(made) }))
    const statuses = (await Promise.all(writers)).map(({ status }) => status).sort()
    expect(statuses).toEqual([200, ...Array.from({ length: 7 }, () => 409)])
  })

  test('an outside edit between reading and writing is not lost', async () => {
    const made = await put('outside.md', 'before\n')
    await writeFile(daemon.file('demo-vault', 'outside.md'), 'theirs\n')
    expect(codeOf((await put('outside.md', 'mine\n', { 'if-match': etagOf(made) })).body)).toBe('stale_doc')
    expect(await readFile(daemon.file('demo-vault', 'outside.md'), 'utf8')).toBe('theirs\n')
  })

  test('edits by PATCH, with the failures of edit_note', async () => {
    verifies(
      'error.stale-doc',
      'error.match-count',
      'edit.atomic',
      'notes.patch',
      'edit.stale-diff',
      'edit.candidates',
      'edit.dry-run',
    )
    const made = await put('edit.md', 'one two two\n')
    const baseline = etagOf(made).slice(1, -1)
    const patch = (edits: unknown, more = {}) =>
      demo('/notes/edit.md', { method: 'PATCH', json: { baseline, edits, ...more } })
    const twice = await patch([{ oldText: 'two', newText: '2' }])
    expect(ErrorBody.parse(twice.body).error).toMatchObject({
      code: 'match_count',
      details: { count: 2, candidates: [{}, {}] },
    })
    expect(
      codeOf(
        (
          await patch([
            { oldText: 'one', newText: '1' },
            { oldText: 'no', newText: '' },
          ])
        ).body,
      ),
    ).toBe('match_count')
    expect((await patch([{ oldText: 'one', newText: '1' }], { dryRun: true })).body).toMatchObject({
      dryRun: true,
      diff: expect.stringContaining('+1 two two') as string,
    })
    expect(await readFile(daemon.file('demo-vault', 'edit.md'), 'utf8')).toBe('one two two\n')

    const first = await patch([{ oldText: 'one', newText: '$&' }])
    expect(first.body).toMatchObject({ ok: true, matched: ['exact'] })
    const stale = await patch([{ oldText: 'one', newText: '1' }])
    expect(ErrorBody.parse(stale.body).error).toMatchObject({
      code: 'stale_doc',
      details: {
        baseline: etagOf(first).slice(1, -1),
        canRebase: false,
        diff: expect.stringContaining('-one two two') as string,
      },
    })
    expect(await readFile(daemon.file('demo-vault', 'edit.md'), 'utf8')).toBe('$& two two\n')
    expect(codeOf((await patch([])).body)).toBe('invalid_request')
  })

  test('a property that is nested thousands deep is refused like any that is too deep', async () => {
    verifies('notes.patch')
    const baseline = etagOf(await put('nested.md', 'x\n')).slice(1, -1)
    const value = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
    for (const dryRun of [true, false]) {
      const body = `{"baseline":"${baseline}","dryRun":${dryRun},"edits":[{"property":"x","value":${value}}]}`
      const headers = { 'content-type': 'application/json' }
      const refused = await demo('/notes/nested.md', { method: 'PATCH', body, headers })
      expect([refused.status, codeOf(refused.body)]).toEqual([400, 'invalid_request'])
    }
  })

  test('a rebase keeps both changes, where they do not touch', async () => {
    verifies('edit.on-stale')
    const made = await put('rebase.md', '1\n2\n3\n4\n5\n')
    await writeFile(daemon.file('demo-vault', 'rebase.md'), '0\n1\n2\n3\n4\n5\n')
    const baseline = etagOf(made).slice(1, -1)
    await demo('/notes/rebase.md')
    const edits = [{ oldText: '4', newText: 'four' }]
    const read = await demo('/notes/rebase.md', { method: 'PATCH', json: { baseline, edits } })
    expect(codeOf(read.body)).toBe('stale_doc')
    const done = await demo('/notes/rebase.md', { method: 'PATCH', json: { baseline, edits, onStale: 'rebase' } })
    expect(done.status).toBe(200)
    expect(await readFile(daemon.file('demo-vault', 'rebase.md'), 'utf8')).toBe('0\n1\n2\n3\nfour\n5\n')
  })
})

describe('search', () => {
  test('sees a save at once, and finds words, phrases, tags and properties', async () => {
    verifies('daemon.search', 'search.grammar')
    await put('s/one.md', '---\ntags: [fruit]\nstate: open\n---\n# Quince\n\nThe heliotrope blooms in spring.\n')
    await put('s/two.md', '# Other\n\nSpring brings the heliotrope in bloom. 東京都へ行く\n')
    expect((await found('heliotrope')).sort()).toEqual(['s/one.md', 's/two.md'])
    expect(await found('"heliotrope blooms"')).toEqual(['s/one.md'])
    expect(await found('heliotrope -quince')).toEqual(['s/two.md'])
    expect(await found('tag:fruit')).toEqual(['s/one.md'])
    expect(await found('prop:state=open helio')).toEqual(['s/one.md'])
    expect(await found('path:two heliotrope')).toEqual(['s/two.md'])
    expect(await found('title:quince')).toEqual(['s/one.md'])
    expect(await found('京都')).toEqual(['s/two.md'])
    const { hits } = SearchResult.parse((await demo('/search?q=blooms')).body)
    expect(hits[0]?.snippets).toEqual([{ line: 7, text: 'The heliotrope blooms in spring.', highlights: [[15, 21]] }])
    expect((await demo('/search?q=')).status).toBe(400)
  })

  test('pages', async () => {
    for (let index = 0; index < 5; index++) await put(`pages/${index}.md`, 'zyzzyva\n')
    const first = SearchResult.parse((await demo('/search?q=zyzzyva&limit=3')).body)
    expect([first.hits.length, first.total, first.nextCursor]).toEqual([3, 5, '3'])
    const second = SearchResult.parse((await demo('/search?q=zyzzyva&limit=3&cursor=3')).body)
    expect([second.hits.length, second.nextCursor]).toEqual([2, undefined])
    expect((await demo('/search?q=x&cursor=-1')).status).toBe(400)
    // A page beyond the deepest one would hold every other request while it is sorted.
    verifies('search.deepest-page')
    expect((await demo('/search?q=zyzzyva&cursor=10000')).status).toBe(200)
    for (const cursor of ['10001', '999999999'])
      expect(codeOf((await demo(`/search?q=zyzzyva&cursor=${cursor}`)).body)).toBe('invalid_request')
  })

  test('and follows what other programs do', async () => {
    verifies('daemon.external-edits')
    await mkdir(daemon.file('demo-vault', 'ext/sub'), { recursive: true })
    await writeFile(daemon.file('demo-vault', 'ext/sub/n.md'), '# Outside\n\nwombat\n')
    await until('the new note is found', async () => (await found('wombat')).length === 1)
    expect(paths(Tree.parse((await demo('/tree?path=ext')).body).tree)).toEqual(['ext/sub', 'ext/sub/n.md'])
    await rename(daemon.file('demo-vault', 'ext'), daemon.file('demo-vault', 'moved'))
    await until('it has moved', async () => (await found('wombat'))[0] === 'moved/sub/n.md')
    await writeFile(daemon.file('demo-vault', 'moved/sub/n.md'), '# Outside\n\nkoala\n')
    await until('its words have changed', async () => (await found('koala')).length === 1)
    expect(await found('wombat')).toEqual([])
    await rm(daemon.file('demo-vault', 'moved'), { recursive: true })
    await until('it is gone', async () => (await found('koala')).length === 0)
  })
})

describe('attachments', () => {
  const at = (path: string) => `/attachments/${path}`
  test('bytes both ways, in parts, with headers that let nothing run', async () => {
    verifies('security.active-content', 'daemon.ranges')
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, index) => index))
    const made = await demo(at('img/a b.svg'), {
      method: 'PUT',
      body: bytes,
      headers: { 'content-type': 'image/svg+xml' },
    })
    expect(made.status).toBe(201)
    const read = await fetch(`${daemon.url}/api/vaults/demo-vault${at('img/a%20b.svg')}`)
    expect(Buffer.from(await read.arrayBuffer()).equals(bytes)).toBe(true)
    expect(read.headers.get('content-security-policy')).toContain('sandbox')
    expect(read.headers.get('content-disposition')).toMatch(/^attachment/)
    expect(read.headers.get('x-content-type-options')).toBe('nosniff')
    const part = await demo(at('img/a%20b.svg'), { headers: { range: 'bytes=65-67' } })
    expect([part.status, part.text, part.headers.get('content-range')]).toEqual([206, 'ABC', 'bytes 65-67/256'])
    expect((await demo(at('img/a%20b.svg'), { headers: { range: 'bytes=999-' } })).status).toBe(416)

    expect(codeOf((await demo(at('img/a%20b.svg'), { method: 'PUT', body: 'x' })).body)).toBe('invalid_request')
    expect(
      codeOf((await demo(at('img/a%20b.svg'), { method: 'PUT', body: 'x', headers: { 'if-match': '"0"' } })).body),
    ).toBe('stale_doc')
    const over = await demo(at('img/a%20b.svg'), { method: 'PUT', body: '', headers: { 'if-match': etagOf(read) } })
    expect([over.status, (over.body as { attachment: { size: number } }).attachment.size]).toEqual([200, 0])
    expect((await demo(at('img/a%20b.svg'))).text).toBe('')
    expect((await demo('/attachments')).body).toMatchObject({
      attachments: [{ path: 'img/a b.svg', contentType: 'image/svg+xml' }],
    })
    expect((await demo(at('img/a%20b.svg'), { method: 'DELETE' })).body).toMatchObject({ trashed: true })
  })

  test('one that is too large leaves nothing behind', async () => {
    const big = await demo(at('big.bin'), { method: 'PUT', body: Buffer.alloc(6000) })
    expect([big.status, codeOf(big.body)]).toEqual([413, 'payload_too_large'])
    const endless = await rawRequest({
      url: daemon.url,
      path: '/api/vaults/demo-vault/attachments/big.bin',
      method: 'PUT',
      headers: { 'transfer-encoding': 'chunked' },
      body: Buffer.alloc(6000),
    })
    expect(endless.status).toBe(413)
    expect((await demo(at('big.bin'))).status).toBe(404)
    expect(await readdir(daemon.file('demo-vault', '.svc/tmp'))).toEqual([])
  })
})

describe('what must not work', () => {
  const socket = createServer()
  beforeAll(async () => {
    await symlink('/etc/hostname', daemon.file('demo-vault', 'link.md'))
    await symlink(daemon.home, daemon.file('demo-vault', 'folder'))
    await writeFile(`${daemon.home}/secret.md`, 'secret')
    execFileSync('mkfifo', [daemon.file('demo-vault', 'pipe.md')])
    await once(socket.listen(daemon.file('demo-vault', 'socket.md')), 'listening')
  })
  afterAll(() => socket.close())

  test.each([
    '..%2f..%2f..%2fdaemon%2fstatus.json',
    '../../daemon/status.json',
    '..%5c..%5cstatus.md',
    '%2e%2e/%2e%2e/x.md',
    '%252e%252e/x.md',
    '.svc/vault.json',
    'notes/%2e%2e/%2e%2e/x.md',
    '/etc/passwd',
    'a%00.md',
    '%zz.md',
    '%ff.md',
    'link.md',
    'folder/secret.md',
    'pipe.md',
    'socket.md',
  ])('reading %s', async (path) => {
    verifies('notes.safe-paths')
    for (const kind of ['notes', 'attachments']) {
      const answer = await rawRequest({
        url: daemon.url,
        path: `/api/vaults/demo-vault/${kind}/${path}`,
        headers: { host: new URL(daemon.url).host },
      })
      expect([400, 404]).toContain(answer.status)
      expect(ErrorBody.safeParse(JSON.parse(answer.body)).success).toBe(true)
    }
  })

  test.each([
    'folder/new.md',
    'link.md',
    'pipe.md',
    'socket.md',
    '.hidden/x.md',
    'CON.md',
    'x/a:b.md',
    'README.MD',
    'notes2/../x.md',
    'trail./x.md',
    'no-note.txt',
    '.git/config.md',
  ])('making %s', async (path) => {
    const answer = await rawRequest({
      url: daemon.url,
      path: `/api/vaults/demo-vault/notes/${path}`,
      method: 'PUT',
      headers: { host: new URL(daemon.url).host, 'content-type': 'application/json' },
      body: '{"content":"x"}',
    })
    expect([400, 404, 409]).toContain(answer.status)
    expect(await readdir(daemon.home)).not.toContain('new.md')
  })

  test('a request for another host, or from another origin or site', async () => {
    verifies('security.host-allow-list')
    const { host } = new URL(daemon.url)
    const status = async (headers: Record<string, string | string[]>, path = '/api/vaults') =>
      (await rawRequest({ url: daemon.url, path, headers })).status
    expect(await status({ host })).toBe(200)
    expect(await status({ host: 'evil.example' })).toBe(421)
    expect(await status({ host, origin: 'http://evil.example' })).toBe(403)
    expect(await status({ host, origin: 'null' })).toBe(403)
    expect(await status({ host, origin: `http://${host}` })).toBe(200)
    expect(await status({ host, 'sec-fetch-site': 'cross-site' })).toBe(403)
    expect(await status({ host, 'sec-fetch-site': 'same-site' }, '/mcp')).toBe(403)
    expect(await status({ host }, `http://${host}/api/vaults`)).toBe(400)
    const answer = await call(daemon, '/api/vaults')
    expect(answer.headers.get('access-control-allow-origin')).toBeNull()
    expect(answer.headers.get('cross-origin-resource-policy')).toBe('same-origin')
  })

  test('a type without a body, of any method', async () => {
    verifies('http.type-without-body')
    const headers = { 'content-type': 'application/json', 'if-match': '*' }
    for (const [method, path, status] of [
      ['DELETE', 'notes/none.md', 404],
      ['PUT', 'notes/none.md', 400],
      ['PATCH', 'notes/none.md', 400],
      ['POST', 'move', 400],
      ['GET', 'tree', 200],
    ] as const) {
      const answer = await rawRequest({ url: daemon.url, path: `/api/vaults/demo-vault/${path}`, method, headers })
      expect([method, answer.status]).toEqual([method, status])
    }
  })

  test('a wrong method, address, type or size', async () => {
    const codes = async (path: string, options: Parameters<typeof call>[2]) => {
      const { status, body } = await api(path, options)
      return [status, codeOf(body)]
    }
    expect(await codes('/health', { method: 'POST' })).toEqual([405, 'method_not_allowed'])
    expect(await codes('/none', {})).toEqual([404, 'not_found'])
    expect(await codes('/vaults', { headers: { accept: 'image/png' } })).toEqual([406, 'not_acceptable'])
    expect(await codes('/vaults', { method: 'POST', body: 'a=b', headers: { 'content-type': 'text/plain' } })).toEqual([
      415,
      'unsupported_media_type',
    ])
    expect(
      await codes('/vaults', { method: 'POST', body: '{', headers: { 'content-type': 'application/json' } }),
    ).toEqual([400, 'invalid_request'])
    expect(await codes('/vaults', { method: 'POST', json: null })).toEqual([400, 'invalid_request'])
    expect(
      await codes('/vaults/demo-vault/notes/big.md', { method: 'PUT', json: { content: 'x'.repeat(20_001) } }),
    ).toEqual([413, 'payload_too_large'])
    expect(
      await codes('/vaults/demo-vault/notes/huge.md', { method: 'PUT', json: { content: 'x'.repeat(500_000) } }),
    ).toEqual([413, 'payload_too_large'])
    expect(
      await codes('/vaults/demo-vault/notes/half.md', {
        method: 'PUT',
        body: '{"content":"\\ud800"}',
        headers: { 'content-type': 'application/json' },
      }),
    ).toEqual([400, 'invalid_request'])
  })

  test('a FIFO or a link for an entry of the trash, which stops nothing', async () => {
    verifies('security.regular-files')
    await put('trashed.md', 'x')
    await demo('/notes/trashed.md', { method: 'DELETE' })
    const trash = daemon.file('demo-vault', '.svc/trash')
    for (let count = 0; count < 8; count++) {
      await mkdir(`${trash}/fifo${count}`)
      await writeFile(`${trash}/fifo${count}/content`, '')
      execFileSync('mkfifo', [`${trash}/fifo${count}/entry.json`])
    }
    await mkdir(`${trash}/linked`)
    await writeFile(`${trash}/linked/content`, '')
    await symlink(`${daemon.home}/daemon/status.json`, `${trash}/linked/entry.json`)
    const { entries } = (await demo('/trash')).body as { entries: { path: string }[] }
    expect(entries.map(({ path }) => path)).toContain('trashed.md')
    expect(entries.filter(({ path }) => path === undefined)).toEqual([])
    expect((await put('after.md', 'x')).status).toBe(201)
  })

  test('a trash that cannot be read is not an empty one', async () => {
    const made = (await api('/vaults', { json: { displayName: 'T', slug: 'no-trash' } })).status
    await writeFile(daemon.file('no-trash', '.svc/trash'), 'a file')
    const answer = await api('/vaults/no-trash/trash')
    expect([made, answer.status]).toEqual([201, 409])
    expect(codeOf(answer.body)).toBe('path_conflict')
  })

  test('a twin name', async () => {
    await put('Twin/Café.md', 'x')
    expect((await put('Twin/café.md', 'x')).status).toBe(409)
    expect((await put('twin/other.md', 'x')).status).toBe(409)
    expect((await put(`Twin/${encodeURIComponent('Cafe\u0301.md')}`, 'x', { 'if-none-match': '*' })).status).toBe(409)
  })
})

test('the person at this machine may do everything, and keeps a theme', async () => {
  verifies('daemon.person')
  const read = async () => PersonHere.parse(JSON.parse((await call(daemon, '/_svc/person')).text))
  const choose = (body: string, headers: Record<string, string> = {}) =>
    call(daemon, '/_svc/person', { method: 'PATCH', body, headers: { 'content-type': 'application/json', ...headers } })
  const { vaults, ...here } = await read()
  expect(here).toEqual({
    ok: true,
    person: { id: 'local', name: 'You' },
    capabilities: ['create_vault', 'delete_permanently', 'restore_of_others'],
    theme: 'system',
  })
  expect(vaults.length).toBeGreaterThan(0)
  expect(vaults.every(({ entered }) => entered)).toBe(true)
  expect(await call(daemon, '/_svc/person', { method: 'HEAD' })).toMatchObject({ status: 200, text: '' })
  expect((await choose('{"theme":"dark"}')).status).toBe(200)
  expect((await read()).theme).toBe('dark')
  expect((await choose('{"theme":"neon"}')).status).toBe(400)
  expect((await choose('{"theme":"light"}', { origin: 'http://evil.example' })).status).toBe(403)
  expect((await read()).theme).toBe('dark')
})

test('flush, storage, audit, metrics, description', async () => {
  verifies(
    'daemon.flush',
    'flush.result',
    'house.openapi',
    'daemon.storage',
    'daemon.metrics',
    'daemon.openapi',
    'api.ok',
  )
  expect((await demo('/ops/flush', { method: 'POST' })).body).toEqual({
    ok: true,
    flushed: expect.any(Number) as number,
    durableAsOf: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string,
  })
  expect((await demo('/ops/storage')).body).toMatchObject({
    ok: true,
    storage: { usedBytes: expect.any(Number) as number },
  })
  expect((await api('/ops/storage')).body).toMatchObject({ ok: true })
  const { entries } = AuditList.parse((await demo('/audit')).body)
  expect(entries[0]).toMatchObject({ actor: 'local', tool: expect.any(String) as string })
  expect(entries.every((entry, index) => index === 0 || entry.at <= entries[index - 1]!.at)).toBe(true)
  expect((await call(daemon, '/metrics')).text).toContain('svcd_vault_files{vault="demo-vault"}')
  const description = (await api('/openapi.json')).body as { openapi: string; paths: OpenApiPaths }
  expect(description.openapi).toMatch(/^3\.1/)
  expect(Object.keys(description.paths)).toContain('/api/vaults/{vaultId}/tree')
  expect(successesWithoutOk(description.paths)).toEqual([])
})

test('the log holds no path and no search', async () => {
  verifies('security.log-canary', 'daemon.metrics')
  await put('canary-4711.md', 'x')
  await found('canary-4712')
  await demo('/notes/canary-4713.md')
  await until('the requests are logged', () => daemon.output().includes('"route":"/api/vaults/:vaultId/search"'))
  expect(daemon.output()).not.toMatch(/canary-47/)
  expect((await call(daemon, '/metrics')).text).not.toMatch(/canary-47/)
})

test('changes are told as they come, and what was missed is told later', async () => {
  verifies('daemon.events')
  const listen = async (headers: Record<string, string> = {}) => {
    const answer = await fetch(`${daemon.url}/api/vaults/demo-vault/events`, { headers })
    const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    return {
      async upTo(part: string) {
        while (!text.includes(part)) text += (await reader.read()).value ?? ''
        return text
      },
      stop: () => reader.cancel(),
    }
  }
  const first = await listen()
  const id = /id: (\S+)/.exec(await first.upTo('event: hello'))?.[1] ?? ''
  await put('told.md', 'x')
  expect(await first.upTo('told.md')).toContain('"kind":"created","what":"note","path":"told.md"')
  await first.stop()
  const second = await listen({ 'last-event-id': id })
  expect(await second.upTo('told.md')).not.toContain('resync')
  await second.stop()

  const { lastEventId, tree } = Tree.parse((await demo('/tree')).body)
  expect(paths(tree)).toContain('told.md')
  await put('after-the-tree.md', 'x')
  await until('the tree has it', async () =>
    paths(Tree.parse((await demo('/tree')).body).tree).includes('after-the-tree.md'),
  )
  const third = await listen({ 'last-event-id': lastEventId })
  expect(await third.upTo('after-the-tree.md')).not.toMatch(/resync|told\.md/)
  await third.stop()

  const stranger = await listen({ 'last-event-id': 'other-1' })
  await stranger.upTo('event: resync')
  await stranger.stop()
})
