import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { LinkGraph, LinkReport, NoteLinks } from '@svc/shared/wire/daemon/daemon-links.api.ts'
import { MoveResult } from '@svc/shared/wire/daemon/daemon-moves.api.ts'
import { Tree, type TreeNode } from '@svc/shared/wire/daemon/daemon.api.ts'
import { verifies } from '../requirements.ts'
import { call, newHome, startSvcd, type Svcd } from '../support/svcd.ts'
import { until } from '../support/until.ts'
import { copyVault } from '../support/vault.ts'

let daemon: Svcd
beforeAll(async () => {
  const home = await newHome()
  await mkdir(join(home, 'vaults'), { recursive: true })
  await copyVault(join(home, 'vaults/v'))
  daemon = await startSvcd({ home, env: { SVC_SEARCH_DEADLINE_MS: '60000' } })
  await until('everything is indexed', async () => (await call(daemon, '/api/ready')).status === 200)
})
afterAll(() => daemon.remove())

const encoded = (path: string) => path.split('/').map(encodeURIComponent).join('/')
const read = async (path: string) => (await call(daemon, `/api/vaults/v/${path}`)).body
const nodesOf = (nodes: TreeNode[]): TreeNode[] =>
  nodes.flatMap((node) => [node, ...(node.kind === 'folder' ? nodesOf(node.children) : [])])
const tree = async () => nodesOf(Tree.parse(await read('tree')).tree)

/** The target of every link of every note, in order; undefined for a broken link. */
async function meanings(): Promise<Map<string, (string | undefined)[]>> {
  const found = new Map<string, (string | undefined)[]>()
  for (const { path, kind } of await tree()) {
    if (kind !== 'note') continue
    const { outgoing } = NoteLinks.parse(await read(`links/${encoded(path)}?mentions=false`))
    const targets = outgoing.map((link) => link.path)
    found.set(path, targets)
  }
  return found
}

test('in a real vault every tenth file and folder is moved, and every link still means the same file', async () => {
  verifies('links.move')
  const before = await meanings()
  const broken = LinkReport.parse(await read('report')).counts.broken
  const all = await tree()
  // Move every tenth file of a real vault, but every file of the small vault that replaces it.
  const every = all.length > 100 ? 10 : 1
  const files = all.filter(({ kind }, index) => kind !== 'folder' && index % every === 0).map(({ path }) => path)
  const folders = all.filter(({ kind }) => kind === 'folder').map(({ path }) => path)
  const where = new Map(all.map(({ path }) => [path, path]))
  const move = async (from: string, to: string) => {
    const answer = await call(daemon, '/api/vaults/v/move', { json: { from, to } })
    expect(answer.status, `${from} to ${to}: ${answer.text}`).toBe(200)
    for (const [path, now] of where)
      if (now === from || now.startsWith(`${from}/`)) where.set(path, to + now.slice(from.length))
    return MoveResult.parse(answer.body)
  }

  let rewritten = 0
  for (const [index, path] of files.entries()) {
    const now = where.get(path)!
    const [folder, name] = [now.slice(0, now.lastIndexOf('/') + 1), now.slice(now.lastIndexOf('/') + 1)]
    const to = index % 2 === 0 ? `Moved ${index % 3}/(deep)/${name}` : `${folder}Renamed é ${index} ${name}`
    rewritten += (await move(now, to)).linksTotal
  }
  for (const path of folders.filter((_, index) => index % every === 0))
    rewritten += (await move(where.get(path)!, `Folders/${path.replaceAll('/', ' ')} 2`)).linksTotal
  expect(rewritten).toBeGreaterThan(0)

  const after = await meanings()
  const expected = [...before].map(([path, links]) => [where.get(path), links.map((link) => link && where.get(link))])
  expect([...after].toSorted(([a], [b]) => (a < b ? -1 : 1))).toEqual(
    expected.toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
  )
  expect(LinkReport.parse(await read('report')).counts.broken).toBe(broken)
  expect(LinkGraph.parse(await read('graph?limit=5')).nodes.length).toBeGreaterThan(0)
  console.log(
    `${files.length} files and ${Math.ceil(folders.length / every)} folders moved, ${rewritten} links rewritten`,
  )
})
