import { cp, mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Note, SearchResult } from '@svc/shared/wire/daemon/daemon.api.ts'
import { verifies } from '../requirements.ts'
import { call, newHome, startSvcd, type Svcd } from '../support/svcd.ts'
import { until } from '../support/until.ts'
import { removeFolder } from '../support/remove-folder.ts'

const built = fileURLToPath(new URL('../../daemon/dist/bundle', import.meta.url))

let folder: string
let daemon: Svcd
beforeAll(async () => {
  // Outside the clone: a bundle runs without its sources and node_modules.
  folder = await mkdtemp(join(tmpdir(), 'svc-bundle-'))
  await cp(built, folder, { recursive: true })
  daemon = await startSvcd({ program: join(folder, 'svcd.mjs'), env: { SVC_SEARCH_DEADLINE_MS: '60000' } })
})
afterAll(async () => {
  await daemon.remove()
  await removeFolder(folder)
})

const demo = (path: string, options?: Parameters<typeof call>[2]) =>
  call(daemon, `/api/vaults/demo-vault${path}`, options)
const put = (path: string, body: string) =>
  demo(`/notes/${path}`, { method: 'PUT', body, headers: { 'content-type': 'text/markdown', 'if-none-match': '*' } })

/** The files that a file of the bundle loads before it runs, itself included, with their texts. */
async function loadedWith(name: string, known = new Map<string, string>()): Promise<Map<string, string>> {
  if (known.has(name)) return known
  const text = await readFile(join(built, 'app', name), 'utf8')
  known.set(name, text)
  for (const [, imported] of text.matchAll(/^import\b[^;]*"\.\/([^"]+)";/gm)) await loadedWith(imported!, known)
  return known
}

test('health needs few files of the bundle, and neither log, relay, vaults nor routes', async () => {
  verifies('health.daemon')
  const files = await loadedWith('main.mjs')
  const texts = [...files.values()].join('')
  expect(files.size).toBeLessThanOrEqual(6)
  expect(texts.length).toBeLessThan(300_000)
  expect(texts).toContain('function openHome')
  for (const later of ['function pino(', 'function dialRelay', 'function openVaultRegistry', 'function loadApp'])
    expect(texts).not.toContain(later)
})

test('the sources in the bundle are ASCII, which V8 keeps in one byte for each character', async () => {
  verifies('health.daemon')
  const files = (await readdir(join(built, 'app'))).filter((name) => name.endsWith('.mjs'))
  expect(files.length).toBeGreaterThan(10)
  for (const name of files) expect(await readFile(join(built, 'app', name), 'utf8'), name).not.toMatch(/[^\0-\x7F]/)
})

test('a daemon whose notes are changed by other programs loads what parses notes, and nothing that edits them', async () => {
  const parsing = (await readdir(join(built, 'app'))).find((name) => name.startsWith('read-jobs-'))!
  const texts = [...(await loadedWith(parsing)).values()].join('')
  expect(texts).toContain('function linkFactsOf(')
  for (const later of ['function planEdits(', 'class RangeSet']) expect(texts).not.toContain(later)
})

test('a daemon that serves notes has loaded none of Node’s modules that few daemons need', async () => {
  const list = join(folder, 'loaded.json')
  const lister = join(folder, 'list-loaded.cjs')
  await writeFile(
    lister,
    `const { writeFileSync } = require('fs')
     process.once('exit', () => writeFileSync(${JSON.stringify(list)}, JSON.stringify(process.moduleLoadList)))`,
  )
  const program = join(folder, 'svcd.mjs')
  const listed = await startSvcd({ program, env: { NODE_OPTIONS: `--require=${JSON.stringify(lister)}` } })
  try {
    expect((await call(listed, '/api/vaults/demo-vault/notes/notes/Welcome.md')).status).toBe(200)
    expect(await listed.stop()).toBe(0)
  } finally {
    await listed.remove()
  }
  const loaded = await readFile(list, 'utf8')
  expect(loaded).toContain('"NativeModule http"')
  for (const late of ['worker_threads', 'http2', 'https', 'tls']) expect(loaded).not.toContain(`"NativeModule ${late}"`)
})

test('the bundled daemon indexes a large vault in two threads', async () => {
  verifies('search.warm-start')
  const home = await newHome()
  const root = join(home, 'vaults/v')
  const notes = 4100
  for (const folder of ['a', 'b']) await mkdir(join(root, folder), { recursive: true })
  for (let number = 0; number < notes; number++)
    await writeFile(join(root, number % 2 === 0 ? 'a' : 'b', `${number}.md`), `common n${number}\n`)
  const program = join(folder, 'svcd.mjs')
  const large = await startSvcd({ home, program, env: { SVC_SEARCH_DEADLINE_MS: '60000' } })
  try {
    await until('every note is read', async () => (await call(large, '/api/ready')).status === 200)
    const totalOf = async (q: string) =>
      SearchResult.parse((await call(large, `/api/vaults/v/search?q=${q}`)).body).total
    expect([await totalOf('common'), await totalOf('n4097'), await totalOf('n4098')]).toEqual([notes, 1, 1])
  } finally {
    await large.remove()
  }
})

test('the bundled daemon starts its parsing worker: a large note has an outline', async () => {
  verifies('untrusted.off-loop')
  const headings = 2000
  expect((await put('large.md', '# A heading and more\n\n'.repeat(headings))).status).toBe(201)
  const { note } = Note.parse((await demo('/notes/large.md')).body)
  expect([note.outline.length, note.problem]).toEqual([headings, undefined])
})

test('the bundled daemon starts the programs that read links and build the index', async () => {
  verifies('search.warm-start')
  expect((await put('from.md', 'see [[large]], marker\n')).status).toBe(201)
  expect(await daemon.stop()).toBe(0)
  await removeFolder(join(daemon.home, 'daemon/index'))
  await daemon.restart()
  await until('the index is in use', async () => (await call(daemon, '/api/ready')).status === 200)
  const { hits, partial } = SearchResult.parse((await demo('/search?q=marker')).body)
  expect([hits.map(({ path }) => path), partial]).toEqual([['from.md'], false])
  const links = await demo('/links/large.md')
  expect([links.status, JSON.stringify(links.body)]).toEqual([200, expect.stringContaining('from.md')])
  expect(daemon.output()).not.toMatch(/ERR_MODULE_NOT_FOUND|Cannot find module/)
})
