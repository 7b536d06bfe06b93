import { mkdir, mkdtemp, open, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { removeFolder } from '../../../test/support/remove-folder.ts'
import { until } from '../../../test/support/until.ts'
import { verifies } from '../../../test/requirements.ts'
import { stampOf } from '../files/file-stamp.ts'
import { parseQuery } from './words/query.ts'
import { prepareSwitch } from '../watch/prepared-switch.ts'
import { createSearchBudget } from './search-budget.ts'
import { createSegmentBuilds, type SegmentBuilds } from './segment/segment-builds.ts'
import { BLOCK, HEADER } from './segment/segment-format.ts'
import { buildSegment } from './segment/segment-of-vault.ts'
import { createSearchRoom } from './search-room.ts'
import { createWalks } from './walk/walk-process.ts'
import { createSearchIndex, type SearchIndex } from './search-index.ts'

const log = createLog({ service: 'test', level: 'silent' })
const maxNoteBytes = 10 * 1024 * 1024
let home: string
let root: string
let file: string
let index: SearchIndex
let missed: string[] = []
let afterReading: () => Promise<void> = async () => {}
let whileComparing: () => Promise<void> = async () => {}

/** Builds in this process, so that a test can change the vault after it was read. */
const builds: SegmentBuilds = {
  async build({ file: place }) {
    await mkdir(dirname(place), { recursive: true })
    const draft = `${place}.new`
    await rm(draft, { force: true })
    await buildSegment({ root, target: draft, maxNoteBytes, threads: 1, owner: process.ppid }, () => {})
    await afterReading()
    return { draft, discard: () => rm(draft, { force: true }) }
  },
}

type Options = Parameters<typeof createSearchIndex>[0]
const openIndex = (own: SegmentBuilds = builds, timing?: Options['timing'], clock: Options['clock'] = systemClock) =>
  createSearchIndex({
    root,
    file,
    builds: own,
    walks: createWalks(),
    room: createSearchRoom(systemClock),
    clock,
    log,
    async compareFiles() {
      await whileComparing()
      return prepareSwitch({ takeOver: () => {}, switchOver: () => [] })
    },
    onRebuilt: (paths) => missed.push(...paths),
    ...(timing && { timing }),
  })
const write = async (path: string, text: string) => {
  await mkdir(dirname(join(root, path)), { recursive: true })
  await writeFile(join(root, path), text)
  return stampOf(await stat(join(root, path)))
}
const put = async (path: string, text: string) => {
  const stamp = await write(path, text)
  index.put(stamp, { path, title: path, text, tags: [], properties: {} })
}
const find = async (q: string) => {
  const budget = createSearchBudget({ clock: systemClock, deadlineMs: 60_000 })
  const { found, partial } = await index.find({ query: parseQuery(q), limit: 10_000, budget })
  return [found.map(({ path }) => path).sort(), partial] as const
}

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'svc-index-'))
  root = join(home, 'vault')
  file = join(home, 'index/v/segment')
  missed = []
  afterReading = async () => {}
  whileComparing = async () => {}
  await write('a.md', '# Alpha\n\nshared heliotrope')
  await write('sub/b.md', 'shared marigold')
  await write('not-utf8.md', 'x')
  await writeFile(join(root, 'not-utf8.md'), Buffer.from([0xff]))
  await write('.hidden/c.md', 'shared hidden')
  await write('picture.png', 'shared')
  index = openIndex()
})
afterEach(async () => {
  await index.close()
  await removeFolder(home)
})

test('a segment is built, opened again without reading notes, and what changes since hides what it says', async () => {
  const table = await index.rebuild()
  expect(Array.from({ length: table.count }, (_, number) => table.path(number))).toEqual([
    'a.md',
    'not-utf8.md',
    'picture.png',
    'sub/b.md',
  ])
  expect([table.title(0), table.isNote(0), table.isNote(1), table.isNote(2)]).toEqual(['Alpha', true, false, false])
  expect(table.stamp(0)).toEqual(stampOf(await stat(join(root, 'a.md'))))
  expect(await find('shared')).toEqual([['a.md', 'sub/b.md'], false])

  await index.close()
  index = openIndex()
  expect((await index.open()).count).toBe(4)
  expect([index.size(), await find('heliotrope')]).toEqual([2, [['a.md'], false]])

  await put('a.md', 'shared rose')
  await put('new.md', 'shared rose')
  index.remove('sub/b.md')
  expect([await find('shared'), index.size()]).toEqual([[['a.md', 'new.md'], false], 2])
  expect(await find('heliotrope')).toEqual([[], false])
  await put('sub/b.md', 'marigold is back')
  expect(await find('marigold')).toEqual([['sub/b.md'], false])
})

test('what is written or removed while a segment is opened hides what it says', async () => {
  verifies('search.early-changes')
  await write('sub/c.md', 'shared teasel')
  await index.rebuild()
  await index.close()
  index = openIndex()
  await put('a.md', 'shared rose')
  whileComparing = async () => {
    await put('new.md', 'shared rose')
    index.remove('sub/b.md')
    expect(await find('rose')).toEqual([['a.md', 'new.md'], false])
  }
  await index.open()
  expect(await find('rose')).toEqual([['a.md', 'new.md'], false])
  expect(await find('heliotrope')).toEqual([[], false])
  expect(await find('marigold')).toEqual([[], false])
  expect(await find('shared')).toEqual([['a.md', 'new.md', 'sub/c.md'], false])
  expect([index.size(), missed]).toEqual([3, []])
})

test('a page of hits has those after the pages before it, from both tiers', async () => {
  verifies('search.deepest-page')
  await index.rebuild()
  for (const name of ['c.md', 'd.md']) await put(name, 'shared')
  const budget = createSearchBudget({ clock: systemClock, deadlineMs: 60_000 })
  const query = parseQuery('shared')
  const all = await index.find({ query, limit: 10, budget })
  expect(all.found).toHaveLength(4)
  for (const offset of [0, 1, 2, 4]) {
    const { found, total } = await index.find({ query, offset, limit: 2, budget })
    expect([found, total]).toEqual([all.found.slice(offset, offset + 2), 4])
  }
})

test('what changes while a segment is built is neither lost nor found twice', async () => {
  await index.rebuild()
  afterReading = async () => {
    await put('a.md', 'changed meanwhile')
    await put('late.md', 'created meanwhile')
    await rm(join(root, 'sub/b.md'))
    index.remove('sub/b.md')
    index.remove('late.md')
    await put('late.md', 'created meanwhile, twice')
  }
  await index.rebuild()
  expect(await find('meanwhile')).toEqual([['a.md', 'late.md'], false])
  expect(await find('shared')).toEqual([[], false])
  expect(index.size()).toBe(2)
  afterReading = async () => {}
  await index.rebuild()
  expect(await find('meanwhile')).toEqual([['a.md', 'late.md'], false])
  expect([index.size(), missed]).toEqual([2, []])
})

test('files that are no notes and appear while a segment is built are worth no further build', async () => {
  await index.close()
  let built = 0
  let now = 0
  const counted: SegmentBuilds = { build: (request) => (built++, builds.build(request)) }
  const clock = { ...systemClock, monotonic: () => now }
  index = openIndex(counted, { lookMs: 1, restMs: 2 ** 30, quietMs: 60_000, retryMs: 60_000 }, clock)
  const pictures = Array.from({ length: 60 }, (_, nth) => `pictures/${nth}.png`)
  for (const path of pictures) await write(path, 'shared')
  afterReading = async () => {
    // What was a note when the segment was read is one no more.
    for (const path of [...pictures, 'a.md']) index.remove(path)
  }
  await index.rebuild()
  expect(await find('shared')).toEqual([['sub/b.md'], false])
  afterReading = async () => {}
  for (let looks = 0; looks < 20; looks++) {
    now += 10 * 60_000
    await setTimeout(5)
  }
  expect([built, index.size()]).toEqual([1, 1])
})

// Its first half million characters are in memory until the next segment has all of it.
const large = (end: string) => `early ${'語彙 '.repeat(300_000)} ${end}`

test('a very large note is found by its beginning at once, and as a whole in the next segment', async () => {
  verifies('search.partial', 'search.large-changed')
  await index.rebuild()
  await put('large.md', large('needle'))
  expect(await find('early')).toEqual([['large.md'], false])
  expect(await find('needle')).toEqual([[], true])
  await index.rebuild()
  expect(await find('needle')).toEqual([['large.md'], false])
  await put('middle.md', `${'word '.repeat(60_000)} needle`)
  expect(await find('needle')).toEqual([['large.md', 'middle.md'], false])
})

test('the end of a very large note makes only those results partial that it could change', async () => {
  verifies('search.partial', 'search.large-changed')
  await index.rebuild()
  await put('sub/large.md', large('needle'))
  expect(await find('heliotrope')).toEqual([['a.md'], true])
  expect(await find('heliotrope path:a.md')).toEqual([['a.md'], false])
  expect(await find('heliotrope -path:sub')).toEqual([['a.md'], false])
  expect(await find('path:sub')).toEqual([['sub/b.md', 'sub/large.md'], false])
  expect(await find('early -needle')).toEqual([['sub/large.md'], true])
  expect(await find('"early 語彙"')).toEqual([['sub/large.md'], false])
  index.remove('sub/large.md')
  expect(await find('heliotrope')).toEqual([['a.md'], false])
})

test('a word that the middle of a very large note cuts is not found by its half', async () => {
  await index.rebuild()
  await put('large.md', `${'x '.repeat(256 * 1024 - 3)}whole-words ${'x '.repeat(10)}`)
  expect((await find('whol'))[0]).toEqual([])
})

test('a very large note that is written all the time is built rarely, and is found all the time', async () => {
  verifies('search.large-changed')
  await index.close()
  let built = 0
  let now = 0
  // Each build takes a second.
  const slow: SegmentBuilds = { build: (request) => (built++, (now += 1000), builds.build(request)) }
  const clock = { ...systemClock, monotonic: () => now }
  index = openIndex(slow, { lookMs: 1, restMs: 2 ** 30, quietMs: 2 ** 30, retryMs: 60_000 }, clock)
  await put('large.md', large('first'))
  await until('the first build', async () => built === 1 && (await find('first'))[0].length === 1)
  for (let nth = 0; nth < 20; nth++) {
    await put('large.md', large(`nth${nth}`))
    now += 1000
    expect((await find('early'))[0]).toEqual(['large.md'])
    await setTimeout(5)
  }
  expect(built).toBe(1)
  now += 10 * 60_000
  await until('the next build', async () => built === 2 && (await find('nth19'))[0].length === 1)
})

test('more changed notes than memory has room for are left to the next segment, or asked for again', async () => {
  await index.rebuild()
  for (let number = 0; number < 1100; number++) await put(`many/${number}.md`, `burst ${number}`)
  const [found, partial] = await find('burst')
  expect([(found as string[]).length, partial]).toEqual([1000, true])
  afterReading = () => put('many/1099.md', 'burst again')
  await index.rebuild()
  expect(missed).toEqual(['many/1099.md'])
  expect(((await find('burst'))[0] as string[]).length).toBe(1099)
  await put('many/1099.md', 'burst again')
  expect([(await find('burst'))[1], index.size()]).toEqual([false, 1102])
})

test('mass changes that follow one another are found soon after each', async () => {
  await index.close()
  index = openIndex(builds, { lookMs: 20, restMs: 2 ** 30, quietMs: 2 ** 30, retryMs: 10 * 60_000 })
  for (const word of ['quince', 'medlar', 'sorb']) {
    for (let nth = 0; nth < 1100; nth++) await put(`${word}/${nth}.md`, word)
    await until(`every ${word} is found`, async () => {
      const [found, partial] = await find(word)
      return !partial && (found as string[]).length === 1100
    })
  }
})

test('a search goes on with the segment it began with while another takes its place', async () => {
  await index.rebuild()
  const searches = Array.from({ length: 20 }, () => find('shared'))
  await put('a.md', 'nothing of it')
  const [rebuilt, ...results] = await Promise.all([index.rebuild(), ...searches])
  expect(rebuilt.count).toBe(4)
  for (const [found] of results) expect(['a.md,sub/b.md', 'sub/b.md']).toContain(String(found))
})

test('a segment that is damaged anywhere, cut short or of another version is never believed', async () => {
  verifies('search.damaged-index')
  await index.rebuild()
  const whole = await readFile(file)
  const right = await find('shared')
  const spots = [0, HEADER.version, HEADER.files, HEADER.table + 3, whole.length - 1]
  for (let at = BLOCK; at < whole.length; at += BLOCK / 2) spots.push(at)
  for (const spot of spots) {
    await index.close()
    const bytes = Buffer.from(whole)
    bytes[spot]! ^= 0x40
    await writeFile(file, bytes)
    index = openIndex()
    const { count } = await index.open()
    if (count === 0) continue
    const [found, partial] = await find('shared')
    expect(partial ? [] : found, `byte ${spot}`).toEqual(partial ? found : right[0])
  }
  for (const size of [0, 10, BLOCK, whole.length - 4]) {
    await index.close()
    await writeFile(file, whole)
    await truncate(file, size)
    index = openIndex()
    expect((await index.open()).count, `${size} bytes`).toBe(0)
  }
  await index.rebuild()
  expect(await find('shared')).toEqual(right)
})

test('damage that shows while searching leads to a new segment', async () => {
  await index.rebuild()
  const handle = await open(file, 'r+')
  const { size } = await handle.stat()
  // The last block before the checksums: positions, which opening does not read.
  await handle.write(Buffer.from('damage'), 0, 6, Math.floor(size / BLOCK) * BLOCK - BLOCK)
  await handle.close()
  expect(await find('"shared heliotrope"')).toEqual([[], true])
  await index.rebuild()
  expect(await find('"shared heliotrope"')).toEqual([['a.md'], false])
})

test('a build in a process of its own: it is given up at closing and leaves nothing behind', async () => {
  await index.close()
  index = openIndex(createSegmentBuilds({ maxNoteBytes }))
  await index.rebuild()
  expect(await find('shared')).toEqual([['a.md', 'sub/b.md'], false])
  const building = index.rebuild()
  const given = building.catch((error: Error) => error.message)
  await index.close()
  expect(String(await given)).toMatch(/aborted|ended with/)
  expect(await readdir(dirname(file))).toEqual(['segment'])
})

test('a build that was begun is the one that is waited for, and begins no other', async () => {
  let built = 0
  const counted: SegmentBuilds = { build: (request) => (built++, builds.build(request)) }
  await index.close()
  index = openIndex(counted)
  index.begin()
  index.begin()
  await index.rebuild()
  expect(built).toBe(1)
  expect(await find('shared')).toEqual([['a.md', 'sub/b.md'], false])
  index.begin()
  await index.rebuild()
  expect(built).toBe(2)
})

test('a build that was begun and is not waited for leaves nothing behind', async () => {
  index.begin()
  await index.close()
  expect(await readdir(dirname(file))).toEqual([])
})
