import { expect, test } from 'vitest'
import { importStream } from './import-stream.ts'
import { pendingChanges } from './pending-changes.ts'

const ann = { id: 'usr_ann', name: 'Ann' }
const bot = { id: 'mcp_client', name: 'Bot' }
const change = (text: string | undefined, nowMs: number, author = ann, path = 'a.md') => ({
  path,
  bytes: text === undefined ? undefined : Buffer.from(text),
  author,
  nowMs,
  at: Math.floor(nowMs / 1000),
})
const shown = (commits: ReturnType<ReturnType<typeof pendingChanges>['due']>) =>
  commits.map(({ author, files }) => [
    author.name,
    ...files.map(({ path, bytes }) => `${path}:${bytes?.toString() ?? 'gone'}`),
  ])

test('changes of one author to one note become one revision after a while without any', () => {
  const pending = pendingChanges()
  pending.add(change('1', 0))
  pending.add(change('2', 20_000))
  expect(pending.due(40_000)).toEqual([])
  expect(pending.has('a.md')).toBe(true)
  expect(shown(pending.due(50_000))).toEqual([['Ann', 'a.md:2']])
  expect(pending.has('a.md')).toBe(false)
})

test('another author closes the revision, and so do a deletion and five minutes', () => {
  const pending = pendingChanges()
  pending.add(change('1', 0))
  pending.add(change('2', 1, bot))
  pending.add(change('3', 2))
  expect(shown(pending.due(3))).toEqual([
    ['Ann', 'a.md:1'],
    ['Bot', 'a.md:2'],
  ])
  pending.add(change(undefined, 4))
  expect(shown(pending.due(5))).toEqual([['Ann', 'a.md:gone']])

  for (let nowMs = 0; nowMs <= 300_000; nowMs += 10_000) pending.add(change(String(nowMs), nowMs))
  expect(shown(pending.due(300_000))).toEqual([['Ann', 'a.md:300000']])
})

test('names and paths cannot break out of the import', () => {
  const commit = {
    author: { id: 'x>y', name: 'A\n<b>' },
    at: 1,
    message: 'm\n',
    files: [{ path: 'a"\\\n.md', bytes: Buffer.from('x') }],
  }
  const text = importStream([commit], { isFirst: false }).toString()
  expect(text).toContain('author A  b <x y@svc.invalid> 1 +0000\n')
  expect(text).toContain('M 100644 inline "a\\"\\\\\\012.md"\ndata 1\nx\n')
  expect(text).toContain('from refs/heads/main^0\n')
})
