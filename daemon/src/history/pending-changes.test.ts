import { expect, test } from 'vitest'
import { outsideAuthor } from '../entry/author.ts'
import { movedIn } from './commit-message.ts'
import { importStream } from './import-stream.ts'
import { pendingChanges } from './pending-changes.ts'
import type { Change } from './pending-commits.ts'

const ann = { id: 'usr_ann', name: 'Ann' }
const bot = { id: 'mcp_client', name: 'Bot' }
let lastId = 0
const change = (text: string | undefined, atMs: number, more: Partial<Change> = {}): Change => ({
  id: lastId++,
  kind: text === undefined ? 'deleted' : 'changed',
  path: 'a.md',
  bytes: text === undefined ? undefined : Buffer.from(text),
  author: ann,
  atMs,
  ...more,
})
const shown = (commits: ReturnType<ReturnType<typeof pendingChanges>['due']>) =>
  commits.map(({ author, files }) => [
    author.name,
    ...files.map(({ path, bytes }) => `${path}:${bytes?.toString() ?? 'gone'}`),
  ])
const taken = (pending: ReturnType<typeof pendingChanges>, nowMs: number) => {
  const commits = pending.due(nowMs)
  pending.written(commits)
  return shown(commits)
}

test('changes of one author to one note become one revision after a while without any', () => {
  const pending = pendingChanges()
  pending.add(change('1', 0))
  pending.add(change('2', 20_000))
  expect(taken(pending, 40_000)).toEqual([])
  expect(pending.has('a.md')).toBe(true)
  expect(taken(pending, 50_000)).toEqual([['Ann', 'a.md:2']])
  expect([pending.has('a.md'), pending.bytes()]).toEqual([false, 0])
})

test('a clock that is set back ends the revision: it waits for no time that comes again', () => {
  const pending = pendingChanges()
  pending.add(change('1', 3_600_000))
  pending.add(change('2', 10))
  expect(taken(pending, 20)).toEqual([['Ann', 'a.md:1']])
  pending.add(change('3', 3_600_000))
  expect(taken(pending, 3_600_000)).toEqual([['Ann', 'a.md:2']])
  expect(taken(pending, 20)).toEqual([['Ann', 'a.md:3']])
})

test('another author closes the revision, and so do a pause, a deletion and five minutes', () => {
  const pending = pendingChanges()
  pending.add(change('1', 0))
  pending.add(change('2', 1, { author: bot }))
  pending.add(change('3', 2))
  expect(taken(pending, 3)).toEqual([
    ['Ann', 'a.md:1'],
    ['Bot', 'a.md:2'],
  ])
  pending.add(change('4', 4))
  pending.add(change(undefined, 5))
  expect(taken(pending, 6)).toEqual([
    ['Ann', 'a.md:4'],
    ['Ann', 'a.md:gone'],
  ])

  pending.add(change('5', 10))
  pending.add(change('6', 40_011))
  expect(taken(pending, 40_012)).toEqual([['Ann', 'a.md:5']])
  for (let atMs = 50_000; atMs <= 350_000; atMs += 10_000) pending.add(change(String(atMs), atMs))
  expect(taken(pending, 350_000)).toEqual([['Ann', 'a.md:340000']])
})

test('two agents share an id and are two authors all the same', () => {
  const pending = pendingChanges()
  pending.add(change('1', 0, { author: bot }))
  pending.add(change('2', 1, { author: { id: 'mcp_client', name: 'Other' } }))
  expect(taken(pending, Number.POSITIVE_INFINITY).map(([name]) => name)).toEqual(['Bot', 'Other'])
})

test('two registrations of one program do not share a revision, so that each is counted', () => {
  const pending = pendingChanges()
  pending.add(change('1', 0, { author: { ...bot, registration: 'c1' } }))
  pending.add(change('2', 1, { author: { ...bot, registration: 'c2' } }))
  pending.add(change('3', 2, { author: { ...bot, registration: 'c2' } }))
  const commits = pending.due(Number.POSITIVE_INFINITY)
  expect(commits.map(({ author }) => author.registration)).toEqual(['c1', 'c2'])
})

test('what was due and is not written stays, in its order', () => {
  const pending = pendingChanges()
  pending.add(change('1', 0, { path: 'a.md' }))
  pending.add(change('2', 0, { path: 'b.md' }))
  const [first, ...others] = pending.due(Number.POSITIVE_INFINITY)
  expect(others).toHaveLength(1)
  pending.written([first!])
  pending.add(change('3', 1, { path: 'b.md' }))
  expect(taken(pending, Number.POSITIVE_INFINITY)).toEqual([
    ['Ann', 'b.md:2'],
    ['Ann', 'b.md:3'],
  ])
})

const came = (path: string, atMs: number, more: Partial<Change> = {}) =>
  change('text', atMs, { kind: 'created', path, blob: 'b1', ...more })
const went = (path: string, atMs: number, more: Partial<Change> = {}) =>
  change(undefined, atMs, { path, blob: 'b1', ...more })

test.each([
  ['seen as gone first', [went('old.md', 0), came('new.md', 1)]],
  ['seen as new first', [came('new.md', 0), went('old.md', 1)]],
])('a note that is renamed, %s, is one commit that says so', (_name, changes) => {
  const pending = pendingChanges()
  for (const each of changes) pending.add(each)
  const [commit, ...others] = pending.due(Number.POSITIVE_INFINITY)
  expect(others).toEqual([])
  expect(shown([commit!])).toEqual([['Ann', 'old.md:gone', 'new.md:text']])
  expect(commit?.message).toBe('Move old.md to new.md\n\nSvc-Renamed: ["old.md","new.md"]\n')
  expect(new Set(commit?.ids)).toEqual(new Set(changes.map(({ id }) => id)))
})

test('a note that was created and renamed at once is one that was renamed', () => {
  const pending = pendingChanges()
  for (const each of [came('old.md', 0), came('new.md', 1), went('old.md', 2)]) pending.add(each)
  expect(taken(pending, Number.POSITIVE_INFINITY)).toEqual([
    ['Ann', 'old.md:text'],
    ['Ann', 'old.md:gone', 'new.md:text'],
  ])
})

test.each([
  ['new', 'old'],
  ['old', 'new'],
])('notes of one content in a renamed folder keep their names, also when those that are %s are seen first', (first) => {
  const pending = pendingChanges()
  const numbers = [0, 1, 2]
  const halves = [
    numbers.map((number) => came(`new/${number}.md`, 0)),
    numbers.map((number) => went(`old/${number}.md`, 1)),
  ]
  for (const half of first === 'new' ? halves : halves.toReversed()) for (const each of half) pending.add(each)
  expect(taken(pending, Number.POSITIVE_INFINITY)).toEqual(
    numbers.map((number) => ['Ann', `old/${number}.md:gone`, `new/${number}.md:text`]),
  )
})

test('of deleted notes of one content without a common name, the first is the one that was renamed', () => {
  const pending = pendingChanges()
  for (const each of [went('a.md', 0), went('b.md', 1), came('x.md', 2), came('y.md', 3)]) pending.add(each)
  expect(taken(pending, Number.POSITIVE_INFINITY)).toEqual([
    ['Ann', 'a.md:gone', 'x.md:text'],
    ['Ann', 'b.md:gone', 'y.md:text'],
  ])
})

test.each([
  [
    'a note that was renamed and deleted for good stays deleted',
    [came('new.md', 0), went('new.md', 1, { deletion: 'd1' }), went('old.md', 2)],
    { 'new.md': 'gone', 'old.md': 'gone' },
  ],
  [
    'a renamed note that others change and delete stays deleted',
    [
      came('new.md', 0),
      change('more', 1, { path: 'new.md', author: bot }),
      change(undefined, 2, { path: 'new.md', author: bot, blob: 'b2' }),
      went('old.md', 3),
    ],
    { 'new.md': 'gone', 'old.md': 'gone' },
  ],
  [
    'a note that takes the path of a renamed one stays',
    [
      went('old.md', 0),
      came('old.md', 1, { blob: 'b2' }),
      change('more', 2, { path: 'old.md', author: bot }),
      change('last', 3, { path: 'old.md' }),
      came('new.md', 4),
    ],
    { 'old.md': 'last', 'new.md': 'text' },
  ],
])('%s, in whatever order the halves of the rename are seen', (_name, changes, last) => {
  const pending = pendingChanges()
  for (const each of changes) pending.add(each)
  const now: Record<string, string> = {}
  for (const { files } of pending.due(Number.POSITIVE_INFINITY))
    for (const { path, bytes } of files) now[path] = bytes?.toString() ?? 'gone'
  expect(now).toEqual(last)
})

test.each([
  ['another author', [went('old.md', 0), came('new.md', 1, { author: bot })]],
  ['another content', [went('old.md', 0), came('new.md', 1, { blob: 'b2' })]],
  ['a deletion through the daemon', [went('old.md', 0, { deletion: 'd1' }), came('new.md', 1)]],
  ['a note without text', [went('old.md', 0), came('new.md', 1, { bytes: Buffer.alloc(0) })]],
  ['the same path', [went('old.md', 0), came('old.md', 1)]],
])('%s is no rename', (_name, changes) => {
  const pending = pendingChanges()
  for (const each of changes) pending.add(each)
  expect(pending.due(Number.POSITIVE_INFINITY).every(({ message }) => !message.includes('Svc-Renamed'))).toBe(true)
})

test('a deletion that may be on its way to git is not made a rename any more', () => {
  const pending = pendingChanges()
  pending.add(went('old.md', 0))
  const first = pending.due(1)
  pending.add(came('new.md', 2))
  pending.written(first)
  expect(taken(pending, Number.POSITIVE_INFINITY)).toEqual([['Ann', 'new.md:text']])
})

test('while renames are seen, a note that another program made waits for its other half; other changes do not', () => {
  const pending = pendingChanges()
  pending.renamesBegin()
  const outside = { author: outsideAuthor }
  pending.add(came('new.md', 0, outside))
  pending.add(came('made.md', 0, { blob: 'b2' }))
  pending.add(change('edited', 0, outside))
  expect(taken(pending, Number.POSITIVE_INFINITY)).toEqual([
    ['Ann', 'made.md:text'],
    ['Outside edit', 'a.md:edited'],
  ])
  pending.add(went('old.md', 1, outside))
  expect(taken(pending, Number.POSITIVE_INFINITY)).toEqual([['Outside edit', 'old.md:gone', 'new.md:text']])
  pending.add(came('alone.md', 2, { ...outside, blob: 'b3' }))
  expect(taken(pending, Number.POSITIVE_INFINITY)).toEqual([])
  pending.renamesEnd()
  expect(taken(pending, Number.POSITIVE_INFINITY)).toEqual([['Outside edit', 'alone.md:text']])
})

test('the changes of a move are one commit, which names the path that each note had', () => {
  const pending = pendingChanges()
  const move = { id: 'm1', from: 'x', to: 'y/z' }
  const parts = [
    change(undefined, 0, { path: 'x/a.md', blob: 'b1', move }),
    change('a', 1, { kind: 'created', path: 'y/z/a.md', blob: 'b1', move }),
    change('[a](y/z/a.md)', 2, { path: 'links.md', move }),
  ]
  pending.add(change('before', 0, { path: 'links.md' }))
  for (const part of parts) pending.add(part)
  expect(taken(pending, 3)).toEqual([['Ann', 'links.md:before']])
  expect(pending.due(Number.POSITIVE_INFINITY)).toEqual([])
  pending.moveEnded()
  const [commit, ...others] = pending.due(3)
  expect(others).toEqual([])
  expect(commit?.files.map(({ path }) => path)).toEqual(['x/a.md', 'y/z/a.md', 'links.md'])
  expect(commit?.message).toBe('Move x to y/z\n\nSvc-Renamed: ["x/a.md","y/z/a.md"]\n')
  pending.written([commit!])
  expect(pending.changes()).toEqual([])
})

test('a change that comes between those of a move is a revision before it, unless it is of the same note', () => {
  const pending = pendingChanges()
  const move = { id: 'm1', from: 'x', to: 'y' }
  const moved = (name: string) => {
    pending.add(change(undefined, 0, { path: `x/${name}`, move }))
    pending.add(change('a', 0, { kind: 'created', path: `y/${name}`, move }))
  }
  const revisions = () => {
    const commits = pending.due(Number.POSITIVE_INFINITY)
    pending.written(commits)
    return commits.map(({ files }) => files.map(({ path }) => path).join(' '))
  }
  moved('1.md')
  pending.add(change('other', 1, { path: 'other.md' }))
  moved('2.md')
  expect(revisions()).toEqual(['other.md'])
  pending.moveEnded()
  expect(revisions()).toEqual(['x/1.md y/1.md x/2.md y/2.md'])

  moved('3.md')
  pending.add(change('b', 1, { path: 'y/3.md' }))
  expect(revisions()).toEqual(['x/3.md y/3.md', 'y/3.md'])
  moved('4.md')
  pending.moveEnded()
  expect(revisions()).toEqual(['x/4.md y/4.md'])
})

test('what an earlier run has queued makes the same revisions of each note', () => {
  const changes = [
    change('1', 0),
    change('2', 1000),
    change('3', 90_000),
    went('old.md', 91_000),
    came('new.md', 92_000),
  ]
  const [live, replayed] = [pendingChanges(), pendingChanges()]
  for (const each of changes) live.add(each)
  for (const each of live.changes()) replayed.add(each)
  const sorted = (pending: typeof live) => shown(pending.due(Number.POSITIVE_INFINITY)).map(String).toSorted()
  expect(sorted(replayed)).toEqual(sorted(live))
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

test('a move names its attachments and folders without their content, and a note leaves and comes in one commit', () => {
  const pending = pendingChanges()
  const move = { id: 'm', from: 'x', to: 'y' }
  const is = { ino: 1, size: 2, mtimeMs: 3.5 }
  const moved = { kind: 'attachment', from: 'x/"p"\n.png', to: 'y/"p"\n.png', is } as const
  pending.add(change(undefined, 0, { kind: 'moved', path: moved.to, moved, move }))
  for (let note = 0; note < 500; note++) {
    pending.add(change(undefined, 0, { path: `x/${note}.md`, move }))
    pending.add(change('a', 0, { kind: 'created', path: `y/${note}.md`, move }))
  }
  pending.moveEnded()
  const all = [...pending.due(Number.POSITIVE_INFINITY, 1)]
  pending.written(all)
  all.push(...pending.due(Number.POSITIVE_INFINITY))
  expect(movedIn(all[0]!.message)).toEqual([moved])
  expect(all.flatMap(({ files }) => files)).toHaveLength(1000)
  for (const { files } of all) {
    const gone = files.filter(({ bytes }) => bytes === undefined).map(({ path }) => path.slice(1))
    expect(files.filter(({ bytes }) => bytes !== undefined).map(({ path }) => path.slice(1))).toEqual(gone)
  }
})
