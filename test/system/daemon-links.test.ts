import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import type { z } from 'zod'
import { LinkGraph, LinkReport, NoteLinks, TagCounts } from '@svc/shared/wire/daemon/daemon-links.api.ts'
import { Note, type TreeNode } from '@svc/shared/wire/daemon/daemon.api.ts'
import { verifies } from '../requirements.ts'
import { call, newHome, startSvcd, type Svcd } from '../support/svcd.ts'
import { until } from '../support/until.ts'
import { copyVault } from '../support/vault.ts'

let daemon: Svcd
afterEach(() => daemon.remove())

const encoded = (path: string) => path.split('/').map(encodeURIComponent).join('/')
const read = async <Schema extends z.ZodType>(schema: Schema, path: string): Promise<z.infer<Schema>> => {
  const { status, body } = await call(daemon, `/api/vaults/v/${path}`)
  expect(status, path).toBe(200)
  return schema.parse(body)
}
/** Repeats a request until the response is complete: on a busy machine the first responses are partial. */
const whole = async <Answer extends { partial: boolean }>(ask: () => Promise<Answer>): Promise<Answer> => {
  let answer = await ask()
  await until('the answer is whole', async () => !answer.partial || !(answer = await ask()).partial)
  return answer
}
const linksOf = (path: string, query = '') => whole(() => read(NoteLinks, `links/${encoded(path)}${query}`))
const report = (query = '') => whole(() => read(LinkReport, `report${query}`))
const put = async (path: string, content: string) => {
  const headers = { 'if-none-match': '*' }
  expect(
    (await call(daemon, `/api/vaults/v/notes/${encoded(path)}`, { method: 'PUT', json: { content }, headers })).status,
  ).toBe(201)
}

async function startWith(files: Record<string, string>): Promise<void> {
  const home = await newHome()
  await mkdir(join(home, 'vaults/v'), { recursive: true })
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(home, 'vaults/v', path)), { recursive: true })
    await writeFile(join(home, 'vaults/v', path), content)
  }
  daemon = await startSvcd({ home })
  await ready()
}
const ready = () => until('everything is indexed', async () => (await call(daemon, '/api/ready')).status === 200)

const vault = {
  'Home.md': '# Home\n\nSee [[Plan#Goals|the goals]], [[Nowhere]] and ![[p.png]].\n\n`[[Code]]`\n',
  'work/Plan.md': '---\naliases: [Roadmap]\nup: "[[Home]]"\ntags: [a]\n---\n# Plan\n\n## Goals\n\n#b [[#Gone]]\n',
  'work/Day.md': 'The plan of today. #b\n\nOur roadmap: [x](Plan.md) and [y](../p.png).\n',
  'work/Other.md': 'Nobody links here, but the plan and the Roadmap are named.\n',
  'p.png': 'png',
}

test('links of a note, in both directions and unlinked, follow every change', async () => {
  verifies('links.routes')
  await startWith(vault)
  const plan = await linksOf('work/Plan.md')
  expect(plan).toMatchObject({ path: 'work/Plan.md', backlinksTotal: 2, partial: false })
  expect(plan.outgoing).toEqual([
    { kind: 'wiki', embed: false, inProperty: true, line: 3, target: 'Home', path: 'Home.md' },
    {
      kind: 'wiki',
      embed: false,
      inProperty: false,
      line: 10,
      target: '',
      fragment: 'Gone',
      path: 'work/Plan.md',
      problem: 'no_heading',
    },
  ])
  expect(plan.backlinks.toSorted((a, b) => (a.path < b.path ? -1 : 1))).toEqual([
    {
      path: 'Home.md',
      title: 'Home',
      lines: [{ line: 3, text: 'See [[Plan#Goals|the goals]], [[Nowhere]] and ![[p.png]].' }],
    },
    { path: 'work/Day.md', title: 'Day', lines: [{ line: 3, text: 'Our roadmap: [x](Plan.md) and [y](../p.png).' }] },
  ])
  expect(plan.mentions.map(({ path, lines }) => [path, lines.map(({ line }) => line)]).toSorted()).toEqual([
    ['work/Day.md', [1, 3]],
    ['work/Other.md', [1]],
  ])
  expect((await linksOf('p.png')).backlinks.map(({ path }) => path).toSorted()).toEqual(['Home.md', 'work/Day.md'])

  const first = await linksOf('work/Plan.md', '?limit=1&mentions=false')
  const second = await linksOf('work/Plan.md', `?limit=1&mentions=false&cursor=${first.nextCursor}`)
  expect([...first.backlinks, ...second.backlinks].map(({ path }) => path).toSorted()).toEqual([
    'Home.md',
    'work/Day.md',
  ])
  expect([second.nextCursor, first.mentions]).toEqual([undefined, []])

  await put('Nowhere.md', '[[Plan]]\n')
  expect((await linksOf('Home.md')).outgoing[1]).toMatchObject({ target: 'Nowhere', path: 'Nowhere.md' })
  expect((await linksOf('work/Plan.md')).backlinksTotal).toBe(3)
  await rename(daemon.file('v', 'work/Plan.md'), daemon.file('v', 'Plan.md'))
  await until('the move is seen', async () => (await call(daemon, '/api/vaults/v/links/Plan.md')).status === 200)
  await until('links mean the moved note', async () => (await linksOf('Plan.md')).backlinksTotal === 3)
  expect((await linksOf('work/Day.md')).outgoing[0]).toMatchObject({ target: 'Plan.md', path: 'Plan.md' })
  await until('the old path is gone', async () => {
    return (await call(daemon, '/api/vaults/v/links/work/Plan.md')).status === 404
  })
  expect((await call(daemon, '/api/vaults/v/links/%2e%2e/x.md')).status).toBeGreaterThanOrEqual(400)
  expect((await call(daemon, '/api/vaults/v/links/Home.md?cursor=x')).status).toBe(400)
})

test('a note comes with its links and the number of notes that link to it, unless it is asked for without', async () => {
  verifies('notes.links')
  await startWith(vault)
  const noteAt = async (path: string) => (await read(Note, `notes/${encoded(path)}`)).note
  const wholeNote = async (path: string) => {
    let note = await noteAt(path)
    await until('its links are known', async () => !note.linksPartial || !(note = await noteAt(path)).linksPartial)
    return note
  }
  const plan = await wholeNote('work/Plan.md')
  expect([plan.links, plan.backlinks]).toEqual([(await linksOf('work/Plan.md')).outgoing, 2])
  const other = await wholeNote('work/Other.md')
  expect([other.links, other.backlinks, other.linksPartial]).toEqual([[], 0, false])

  await put('New.md', '[[Plan]]\n')
  const created = await wholeNote('New.md')
  expect(created.links).toMatchObject([{ target: 'Plan', path: 'work/Plan.md' }])
  expect((await wholeNote('work/Plan.md')).backlinks).toBe(3)
  const { note: bare } = await read(Note, 'notes/New.md?links=false')
  expect(bare).toEqual({ ...created, links: undefined, backlinks: undefined, linksPartial: undefined })
  expect((await call(daemon, '/api/vaults/v/notes/New.md?links=some')).status).toBe(400)
})

test('an alias that is longer than a name is not searched for', async () => {
  const [name, text] = ['n'.repeat(255), 'a '.repeat(10_000)]
  await startWith({ 'Plan.md': `---\naliases: [${name}, "${text}"]\n---\n`, 'Other.md': `${name}\n\n${text}\n` })
  const { mentions, partial } = await linksOf('Plan.md')
  expect(mentions.map(({ path, lines }) => [path, lines.map(({ line }) => line)])).toEqual([['Other.md', [1]]])
  expect(partial).toBe(false)
})

test('the report lists what is broken and why, and what nothing links to', async () => {
  verifies('links.report', 'links.tags')
  await startWith({ ...vault, 'lost.png': '', 'Block.md': '[[Home#^none]]\n' })
  const all = await report()
  expect(all.broken.map(({ from, line, target, problem }) => [from, line, target, problem]).toSorted()).toEqual([
    ['Block.md', 1, 'Home', 'no_block'],
    ['Home.md', 3, 'Nowhere', 'no_file'],
    ['work/Plan.md', 10, '', 'no_heading'],
  ])
  expect(all.orphans.map(({ path, kind }) => `${kind} ${path}`).toSorted()).toEqual([
    'attachment lost.png',
    'note Block.md',
    'note work/Day.md',
    'note work/Other.md',
  ])
  expect([all.counts, all.partial, all.nextCursor]).toEqual([{ broken: 3, orphans: 4 }, false, undefined])

  const pages = [await report('?limit=2'), await report('?limit=2&cursor=2')]
  expect(pages.flatMap(({ broken }) => broken)).toEqual(all.broken)
  expect(pages.flatMap(({ orphans }) => orphans)).toEqual(all.orphans)
  expect(pages.map(({ nextCursor }) => nextCursor)).toEqual(['2', undefined])

  await put('Nowhere.md', '[[lost.png]] #b\n')
  expect((await report()).counts).toEqual({ broken: 2, orphans: 3 })
  const { tags, properties } = await whole(() => read(TagCounts, 'tags'))
  expect(tags).toEqual([
    { tag: 'b', count: 3 },
    { tag: 'a', count: 1 },
  ])
  expect(properties.map(({ name }) => name)).toEqual(['aliases', 'tags', 'up'])
  const page = await whole(() => read(TagCounts, 'tags?limit=1'))
  expect([page.tags.length, page.nextCursor]).toEqual([1, '1'])
})

test('the graph of a neighbourhood by depth, and of the vault in pages', async () => {
  verifies('links.graph')
  await startWith({ 'a.md': '[[b]] ![[p.png]]', 'b.md': '[[c]]', 'c.md': '[[d]]', 'd.md': '[[a]] [[d]]', 'p.png': '' })
  const around = (query: string) => whole(() => read(LinkGraph, `graph?${query}`))
  const paths = ({ nodes }: z.infer<typeof LinkGraph>) => nodes.map(({ path }) => path).toSorted()

  const near = await around('path=a.md')
  expect(paths(near)).toEqual(['a.md', 'b.md', 'd.md', 'p.png'])
  expect(near.edges).toContainEqual({ from: 'd.md', to: 'a.md' })
  expect(near.nodes).toContainEqual({ path: 'p.png', kind: 'attachment' })
  expect(paths(await around('path=p.png&depth=2'))).toEqual(['a.md', 'b.md', 'd.md', 'p.png'])
  expect(await read(LinkGraph, 'graph?path=a.md&depth=5&limit=2')).toMatchObject({
    partial: true,
    nodes: { length: 2 },
  })
  expect((await call(daemon, '/api/vaults/v/graph?path=x.md')).status).toBe(404)

  const edges = new Set<string>()
  let cursor: string | undefined = '0'
  let pages = 0
  for (; cursor !== undefined; pages++) {
    const page: z.infer<typeof LinkGraph> = await around(`limit=3&cursor=${cursor}`)
    for (const { from, to } of page.edges) edges.add(`${from} ${to}`)
    cursor = page.nextCursor
  }
  expect(pages).toBe(2)
  expect([...edges].toSorted()).toEqual(['a.md b.md', 'a.md p.png', 'b.md c.md', 'c.md d.md', 'd.md a.md'])
})

test('kept links are taken over at the next start, but for what changed; damaged ones are read anew', async () => {
  verifies('links.routes')
  const many = Object.fromEntries(Array.from({ length: 150 }, (_, number) => [`n${number}.md`, `[[n${number + 1}]]\n`]))
  await startWith(many)
  expect((await report()).counts).toEqual({ broken: 1, orphans: 1 })
  const file = join(daemon.home, 'daemon/index/v/links')
  const kept = await readFile(file)

  await daemon.stop()
  await writeFile(daemon.file('v', 'n5.md'), '[[n0]]\n')
  await rm(daemon.file('v', 'n9.md'))
  await daemon.restart()
  await ready()
  expect((await report()).counts).toEqual({ broken: 2, orphans: 2 })
  expect((await linksOf('n0.md')).backlinks.map(({ path }) => path)).toEqual(['n5.md'])
  expect(await readFile(file)).toEqual(kept)

  for (const damaged of [
    kept.subarray(0, -1),
    Buffer.from(kept).fill(0xff, 40, 60),
    Buffer.alloc(3),
    Buffer.alloc(0),
  ]) {
    await daemon.stop()
    await writeFile(file, damaged)
    await daemon.restart()
    await ready()
    expect((await report()).counts).toEqual({ broken: 2, orphans: 2 })
  }
})

const filesOf = (nodes: readonly TreeNode[]): TreeNode[] =>
  nodes.flatMap((node) => (node.kind === 'folder' ? filesOf(node.children) : [node]))

test('every link of a real vault resolves or is reported, and backlinks are its links turned round', async () => {
  verifies('links.resolve', 'links.report')
  const home = await newHome()
  await mkdir(join(home, 'vaults'), { recursive: true })
  await copyVault(join(home, 'vaults/v'))
  daemon = await startSvcd({ home })
  await ready()

  const files = filesOf((await call<{ tree: TreeNode[] }>(daemon, '/api/vaults/v/tree')).body.tree)
  const paths = new Set(files.map(({ path }) => path))
  const forth = new Set<string>()
  const back = new Set<string>()
  let broken = 0
  for (const { path } of files) {
    const { outgoing, backlinks, backlinksTotal } = await linksOf(path, '?mentions=false&limit=200')
    expect(backlinks.length).toBe(backlinksTotal)
    for (const link of outgoing) {
      expect(link.path === undefined ? link.problem : paths.has(link.path), `${path}: ${link.target}`).toBeTruthy()
      if (link.problem) broken++
      if (link.path !== undefined && link.path !== path) forth.add(`${path} → ${link.path}`)
    }
    for (const { path: from } of backlinks) back.add(`${from} → ${path}`)
  }
  expect(forth.size).toBeGreaterThan(0)
  expect([...back].toSorted()).toEqual([...forth].toSorted())
  expect((await report()).counts.broken).toBe(broken)
})
