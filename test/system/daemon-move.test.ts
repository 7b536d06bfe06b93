import { mkdir, readFile, readdir, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { LinkReport, NoteLinks } from '@svc/shared/wire/daemon/daemon-links.api.ts'
import { MoveResult } from '@svc/shared/wire/daemon/daemon-moves.api.ts'
import { AuditList } from '@svc/shared/wire/daemon/daemon.api.ts'
import { ErrorBody } from '@svc/shared/wire/error-body.ts'
import { verifies } from '../requirements.ts'
import { startRelayedDaemon } from '../support/relayed-daemon.ts'
import { until } from '../support/until.ts'

let daemon: Awaited<ReturnType<typeof startRelayedDaemon>>
beforeEach(async () => {
  daemon = await startRelayedDaemon()
})
afterEach(() => daemon.close())

const encoded = (path: string) => path.split('/').map(encodeURIComponent).join('/')
const at = (path: string) => join(daemon.home, 'vaults/demo-vault', path)
const api = (path: string, options?: Parameters<typeof daemon.local>[1]) =>
  daemon.local(`/api/vaults/demo-vault${path}`, options)
const textAt = (path: string) => readFile(at(path), 'utf8')
const move = (from: string, to: string, more = {}) => api('/move', { json: { from, to, ...more } })
const moved = async (from: string, to: string, more = {}) => {
  const answer = await move(from, to, more)
  expect(answer.status, answer.text).toBe(200)
  return MoveResult.parse(answer.body)
}
const codeOf = (answer: { body: unknown }) => ErrorBody.parse(answer.body).error.code

/** Stores files in the vault through the API, so that the daemon knows them when this resolves. */
async function given(files: Record<string, string>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    const kind = path.endsWith('.md') ? { json: { content } } : { body: content }
    const url = `/${path.endsWith('.md') ? 'notes' : 'attachments'}/${encoded(path)}`
    expect((await api(url, { method: 'PUT', ...kind })).status, path).toBe(201)
  }
}

describe('a link is written as it was before', () => {
  const shapes: [string, { file: string; from: string; to: string; note?: string; before: string; after: string }][] = [
    ['a name alone', { file: 'a/Old.md', from: 'a/Old.md', to: 'b/New.md', before: '[[Old]]', after: '[[New]]' }],
    [
      'with heading and text',
      { file: 'a/Old.md', from: 'a/Old.md', to: 'New.md', before: '[[ Old#H|t ]]', after: '[[ New#H|t ]]' },
    ],
    [
      'with a block, in a table',
      { file: 'Old.md', from: 'Old.md', to: 'New.md', before: '| [[Old#^b\\|t]] |', after: '| [[New#^b\\|t]] |' },
    ],
    ['with its ending', { file: 'Old.md', from: 'Old.md', to: 'New.md', before: '[[Old.md]]', after: '[[New.md]]' }],
    [
      'with its whole path',
      { file: 'a/Old.md', from: 'a/Old.md', to: 'b/c/New.md', before: '[[a/Old]]', after: '[[b/c/New]]' },
    ],
    [
      'with a part of its path',
      { file: 'x/a/Old.md', from: 'x/a/Old.md', to: 'x/b/New.md', before: '[[a/Old]]', after: '[[b/New]]' },
    ],
    [
      'from the root',
      { file: 'a/Old.md', from: 'a/Old.md', to: 'b/New.md', before: '[[/a/Old]]', after: '[[/b/New]]' },
    ],
    [
      'relative in a wiki link',
      {
        file: 'n/Old.md',
        from: 'n/Old.md',
        to: 'n/m/New.md',
        note: 'n/L.md',
        before: '[[./Old]]',
        after: '[[./m/New]]',
      },
    ],
    ['embedded', { file: 'p.png', from: 'p.png', to: 'img/q.png', before: '![[p.png|100]]', after: '![[q.png|100]]' }],
    [
      'relative, encoded',
      {
        file: 'a/Old one.md',
        from: 'a/Old one.md',
        to: 'b/New (ü).md',
        note: 'n/L.md',
        before: '[t](../a/Old%20one.md#h "T")',
        after: '[t](../b/New%20%28ü%29.md#h "T")',
      },
    ],
    ['encoded letters', { file: 'Ö.md', from: 'Ö.md', to: 'Ü.md', before: '[t](%C3%96.md)', after: '[t](%C3%9C.md)' }],
    ['in brackets', { file: 'O.md', from: 'O.md', to: 'N n.md', before: '[t](<O.md>)', after: '[t](<N%20n.md>)' }],
    ['without ending', { file: 'O.md', from: 'O.md', to: 'd/N.md', before: '[t](O)', after: '[t](d/N)' }],
    [
      'as a reference',
      {
        file: 'O.md',
        from: 'O.md',
        to: 'd/N.md',
        before: '[t][r]\n\n[r]: O.md "T"',
        after: '[t][r]\n\n[r]: d/N.md "T"',
      },
    ],
    [
      'in an image in a link',
      {
        file: 'p.png',
        from: 'p.png',
        to: 'd/p.png',
        before: '[![x](p.png)](p.png)',
        after: '[![x](d/p.png)](d/p.png)',
      },
    ],
    [
      'in a property',
      {
        file: 'Old.md',
        from: 'Old.md',
        to: 'New.md',
        before: '---\nup:   "[[Old]]" # why\nlist: [x, "[[Old|y]]"]\n---\n',
        after: '---\nup:   "[[New]]" # why\nlist: [x, "[[New|y]]"]\n---\n',
      },
    ],
    [
      'never in code',
      {
        file: 'Old.md',
        from: 'Old.md',
        to: 'New.md',
        before: '`[[Old]]` [[Old]]\n\n```\n[[Old]]\n```',
        after: '`[[Old]]` [[New]]\n\n```\n[[Old]]\n```',
      },
    ],
    [
      'with a folder',
      {
        file: 'a/b/O.md',
        from: 'a',
        to: 'z',
        before: '[[O]] [[a/b/O]] [t](a/b/O.md)',
        after: '[[O]] [[z/b/O]] [t](z/b/O.md)',
      },
    ],
  ]
  test.each(shapes)('%s', async (_name, { file, from, to, note = 'L.md', before, after }) => {
    verifies('links.move')
    await given({ [file]: 'x\n', [note]: `\uFEFF${before}\r\nrest \u00e9` })
    const result = await moved(from, to)
    expect(await textAt(note)).toBe(`\uFEFF${after}\r\nrest \u00e9`)
    expect(result.notes.map(({ path }) => path)).toEqual([note])
  })
})

test('links of the moved note itself, and links that another file would take over, keep their meaning', async () => {
  verifies('links.move')
  await given({
    'a/N.md': '[s](S.md) [[T]] [up](../p.bin) ![[#here]] [[N]] [gone](Nowhere.md)\n',
    'a/S.md': 'own sibling\n',
    'S.md': 'root\n',
    'a/T.md': 'own\n',
    '0/T.md': 'foreign\n',
    'p.bin': 'p',
    'b/Same.md': 'first\n',
    'Reader.md': '[[Same]]\n',
    'c/Other.md': 'other\n',
  })
  await moved('a/N.md', 'deep/er/M.md')
  expect(await textAt('deep/er/M.md')).toBe(
    '[s](../../a/S.md) [[a/T]] [up](../../p.bin) ![[#here]] [[M]] [gone](Nowhere.md)\n',
  )
  // The bare name would now mean the note at the root, so the link gets a path.
  await moved('c/Other.md', 'Same.md')
  expect(await textAt('Reader.md')).toBe('[[b/Same]]\n')
})

test('a dry run tells what would change and changes nothing; the move then does just that', async () => {
  verifies('links.move', 'links.move-dry-run')
  await given({ 'Old.md': '# Old\n', 'L.md': 'one\n[[Old]] and [[Old#x]]\n', 'Other.md': '[[L]]\n' })
  const before = await Promise.all(['Old.md', 'L.md', 'Other.md'].map((path) => stat(at(path))))
  const planned = await moved('Old.md', 'sub/New.md', { dryRun: true })
  expect(planned).toMatchObject({ from: 'Old.md', to: 'sub/New.md', kind: 'note', dryRun: true, files: 1 })
  expect(planned.notes).toEqual([
    {
      path: 'L.md',
      baseline: expect.any(String),
      links: 2,
      changes: [
        { line: 2, before: 'Old', after: 'New' },
        { line: 2, before: 'Old#x', after: 'New#x' },
      ],
    },
  ])
  const after = await Promise.all(['Old.md', 'L.md', 'Other.md'].map((path) => stat(at(path))))
  expect(after.map(({ mtimeMs, ino }) => [mtimeMs, ino])).toEqual(before.map(({ mtimeMs, ino }) => [mtimeMs, ino]))

  expect(await moved('Old.md', 'sub/New.md')).toEqual({ ...planned, dryRun: false })
  const note = await api('/notes/L.md')
  expect(note.headers.get('etag')).toBe(`"${planned.notes[0]?.baseline}"`)
  expect((await api('/notes/Old.md')).status).toBe(404)
  const { entries } = AuditList.parse((await api('/audit?limit=1')).body)
  expect(entries[0]).toMatchObject({ tool: 'move_note', path: 'Old.md', to: 'sub/New.md', outcome: 'done' })
  expect(await readdir(at('.svc/tmp'))).toEqual([])
  expect(await readdir(at('.svc'))).not.toContain('move.json')

  const links = NoteLinks.parse((await api('/links/sub/New.md')).body)
  expect(links.backlinks.map(({ path }) => path)).toEqual(['L.md'])
  await moved('sub/New.md', 'Again.md', { rewriteLinks: false })
  expect(await textAt('L.md')).toBe('one\n[[New]] and [[New#x]]\n')
})

test('a folder moves with all that is in it, its settings, and one revision for the whole', async () => {
  verifies('links.move', 'daemon.folders-file')
  await given({
    'f/one.md': '[[two]] [x](../out.md)\n',
    'f/sub/two.md': '[[one]]\n',
    'f/p.bin': 'p',
    'out.md': '[[f/one]]\n',
  })
  const settings =
    '# mine\r\nfolders:\r\n  "f": { order: 1 }   # first\r\n  f/sub: {displayName: S}\r\n  other: { order: 2 }\r\n'
  await writeFile(at('.svc/folders.yml'), settings)
  await writeFile(at('f/unseen.txt'), 'not known yet')
  const result = await moved('f', 'g/h')
  expect(result).toMatchObject({ kind: 'folder', to: 'g/h', notesTotal: 2 })
  expect(await textAt('.svc/folders.yml')).toBe(
    '# mine\r\nfolders:\r\n  "g/h": { order: 1 }   # first\r\n  g/h/sub: {displayName: S}\r\n  other: { order: 2 }\r\n',
  )
  expect(await textAt('out.md')).toBe('[[g/h/one]]\n')
  expect(await textAt('g/h/one.md')).toBe('[[two]] [x](../../out.md)\n')
  expect(await textAt('g/h/unseen.txt')).toBe('not known yet')
  expect((await api('/notes/f/one.md')).status).toBe(404)
  expect((await api('/search?q=path:g/h%20two')).body).toMatchObject({ total: 2 })
  const history = async (path: string) => (await api(`/history/${path}`)).body as { revisions: { message?: string }[] }
  const [one, out] = [(await history('g/h/one.md')).revisions[0], (await history('out.md')).revisions[0]]
  expect(one).toEqual({ ...out, path: 'g/h/one.md' })
})

test('what cannot be moved is refused with the reason, and nothing changes', async () => {
  verifies('links.move', 'notes.safe-paths')
  await given({
    'a.md': 'a\n',
    'b.md': '[[a]]\n',
    'd/x.md': 'x\n',
    'p.bin': 'p',
    'Case.md': 'c\n',
    'q.md': '---\nup: "[[p.bin]]"\n---\n',
  })
  const refusals: [string, string, string][] = [
    ['a.md', 'a.md', 'invalid_request'],
    ['a.md', 'b.md', 'note_exists'],
    ['a.md', 'd', 'invalid_request'],
    ['p.bin', 'd', 'note_exists'],
    ['a.md', 'B.md', 'path_conflict'],
    ['a.md', 'D/a.md', 'path_conflict'],
    ['a.md', 'b.md/a.md', 'invalid_request'],
    ['a.md', 'a.txt', 'invalid_request'],
    ['d', 'd/e', 'invalid_request'],
    ['d', 'D/e', 'path_conflict'],
    ['none.md', 'c.md', 'not_found'],
    ['a.md', '../a.md', 'invalid_request'],
    ['a.md', '.svc/a.md', 'invalid_request'],
    ['.svc', 'x', 'invalid_request'],
    ['a.md', 'CON.md', 'invalid_request'],
    ['a.md', 'x#y.md', 'invalid_request'],
    ['p.bin', 'say "x".bin', 'invalid_request'],
  ]
  for (const [from, to, code] of refusals) {
    const answer = await move(from, to)
    expect(answer.status, `${from} ${to}: ${answer.text}`).toBeGreaterThanOrEqual(400)
    expect([from, to, answer.status < 500, codeOf(answer)]).toEqual([from, to, true, code])
  }
  expect(await textAt('b.md')).toBe('[[a]]\n')
  expect((await readdir(at('.'))).toSorted()).toEqual(
    ['.svc', 'Case.md', 'README.md', 'a.md', 'b.md', 'd', 'notes', 'p.bin', 'q.md'].toSorted(),
  )
  await moved('Case.md', 'case.md')
  expect(await readdir(at('.'))).toContain('case.md')
  expect((await api('/report')).status).toBe(200)
})

test('a file or folder whose path differs in nothing but capitals or normal form is not overwritten', async () => {
  verifies('links.move', 'notes.no-foreign-overwrite')
  const [composed, decomposed] = ['caf\u00E9.md', 'cafe\u0301.md']
  const files = ['Readme2.md', 'readme2.md', 'P.bin', 'p.bin', 'F/a.md', 'f/a.md', composed, decomposed]
  for (const path of files) {
    await mkdir(dirname(at(path)), { recursive: true })
    await writeFile(at(path), `text of ${path}`)
  }
  await mkdir(at('Empty'))
  await mkdir(at('empty'))
  const moves = [
    ['Readme2.md', 'readme2.md'],
    ['P.bin', 'p.bin'],
    [decomposed, composed],
    ['F/a.md', 'f/a.md'],
    ['F', 'f'],
    ['Empty', 'empty'],
  ] as const
  for (const [from, to] of moves)
    for (const more of [{ dryRun: true }, {}]) {
      const answer = await move(from, to, more)
      expect([from, answer.status, codeOf(answer)]).toEqual([from, 409, 'note_exists'])
    }
  for (const path of files) expect(await textAt(path)).toBe(`text of ${path}`)
  expect(await readdir(at('.'))).toEqual(expect.arrayContaining(['Empty', 'empty']))
})

test('a folder whose new name has as many letters, but more bytes, makes no path too long', async () => {
  const path = `${`${'f'.repeat(250)}/`.repeat(8)}${'n'.repeat(31)}.md`
  await given({ [`aaa/${path}`]: 'long' })
  const answer = await move('aaa', 'äöü')
  expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('too long')])
  expect(await textAt(`aaa/${path}`)).toBe('long')
  await moved('aaa', 'bbb')
  expect(await textAt(`bbb/${path}`)).toBe('long')
})

test('a note with too many links to rewrite is named, and files can move without it', async () => {
  verifies('links.move')
  const text = '[[a]]'.repeat(20_001)
  await given({ 'a.md': 'a\n', 'many.md': text })
  const refused = await move('a.md', 'b.md')
  expect([refused.status, codeOf(refused)]).toEqual([400, 'invalid_request'])
  expect(refused.text).toContain('many.md')
  await moved('a.md', 'b.md', { rewriteLinks: false })
  expect(await textAt('many.md')).toBe(text)
})

test('members may move; the audit names them', async () => {
  verifies('links.move')
  await given({ 'a.md': 'a\n' })
  const member = daemon.person('member')
  const answer = await member.call('/api/vaults/demo-vault/move', { json: { from: 'a.md', to: 'b.md' } })
  expect(answer.status).toBe(200)
  const { entries } = AuditList.parse((await api('/audit?limit=1')).body)
  expect(entries[0]).toMatchObject({ actor: member.id, tool: 'move_note', to: 'b.md' })
})

test('notes that are written while a move is planned are planned anew, never overwritten', async () => {
  verifies('links.move', 'notes.no-foreign-overwrite')
  const names = Array.from({ length: 20 }, (_, index) => `n${index}.md`)
  await given({ 'Hub0.md': 'hub\n', ...Object.fromEntries(names.map((name) => [name, '[[Hub0]]\n'])) })
  for (let round = 0; round < 5; round++) {
    const edits = names.map((name, index) =>
      api(`/notes/${name}`, {
        method: 'PATCH',
        json: { baseline: 'x', edits: [{ oldText: 'never there', newText: '' }] },
      }).then(async () => {
        if (index % 2 === 0) return void (await writeFile(at(name), `[[Hub${round}]] outside ${round}\n`))
        const content = `[[Hub${round}]] api ${round}\n`
        await api(`/notes/${name}`, { method: 'PUT', headers: { 'if-match': '*' }, json: { content } })
      }),
    )
    const [result] = await Promise.all([move(`Hub${round}.md`, `Hub${round + 1}.md`), ...edits])
    expect(result.status, result.text).toBe(200)
    for (const name of names)
      expect(await textAt(name)).toMatch(new RegExp(`^\\[\\[Hub\\d\\]\\] (?:outside|api) ${round}\n$`))
    // A note may have written the old name after the move; its link is then broken. Restore all links.
    for (const name of names) await writeFile(at(name), `[[Hub${round + 1}]]\n`)
    await until('the notes are seen', async () => {
      const { counts } = LinkReport.parse((await api('/report')).body)
      return counts.broken === 0 && NoteLinks.parse((await api(`/links/Hub${round + 1}.md`)).body).backlinksTotal === 20
    })
  }
})

test('an intent that names other files changes nothing', async () => {
  verifies('links.move-crash')
  await given({ 'a.md': 'a\n' })
  await mkdir(dirname(at('.svc/move.json')), { recursive: true })
  for (const intent of ['{', '[]', JSON.stringify({ format: 1, from: '../x', to: 'b.md', moved: 1, rewrites: [] })]) {
    await writeFile(at('.svc/move.json'), intent)
    expect((await move('a.md', 'b.md')).status).toBeLessThan(500)
  }
})
