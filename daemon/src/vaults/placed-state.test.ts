import { copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { homeLayout, type HomeLayout } from '../home/home-layout.ts'
import { lostIdentity, placeState } from './known-vaults.ts'

const said: string[] = []
const log = pino({ level: 'error' }, { write: (line) => void said.push(line) })
const at = new Date('2026-03-01T00:00:00Z')

let layout: HomeLayout
beforeEach(async () => {
  said.length = 0
  layout = homeLayout(await mkdtemp(join(tmpdir(), 'svc-placed-')))
  for (const folder of [layout.vaults, layout.audit, layout.live, layout.history])
    await mkdir(folder, { recursive: true })
})
afterEach(() => rm(layout.home, { recursive: true, force: true }))

/** The vaults on disk, by name; creates their directories with their identities. */
async function found(vaults: Record<string, string>) {
  for (const [name, identity] of Object.entries(vaults)) {
    const file = { format: 1, identity, id: name, displayName: name, createdAt: '2026' }
    await mkdir(join(layout.vaults, name, '.svc'), { recursive: true })
    await writeFile(join(layout.vaults, name, '.svc/vault.json'), JSON.stringify(file))
  }
  return new Map(Object.entries(vaults).map(([name, identity]) => [name, { identity }]))
}
const place = async (vaults: Record<string, string>) => placeState({ layout, found: await found(vaults), at, log })

/** Writes data whose text says whose it is. */
async function write(names: Record<string, string>): Promise<void> {
  for (const [name, owner] of Object.entries(names))
    for (const path of [join(layout.audit, `${name}.jsonl`), join(layout.live, `${name}.wal`)])
      await writeFile(path, owner)
}

async function removeData(name: string): Promise<void> {
  await rm(join(layout.audit, `${name}.jsonl`))
  await rm(join(layout.live, `${name}.wal`))
}

/** The vault that the data under each name belongs to. */
async function owners(): Promise<Record<string, string>> {
  const byName: Record<string, string> = {}
  for (const name of (await readdir(layout.audit)).toSorted()) {
    const owner = await readFile(join(layout.audit, name), 'utf8')
    byName[name.replace('.jsonl', '')] = owner
    expect(await readFile(join(layout.live, name.replace('.jsonl', '.wal')), 'utf8')).toBe(owner)
  }
  return byName
}

const known = (vaults: Record<string, string>) =>
  writeFile(join(layout.daemon, 'vaults.json'), JSON.stringify({ format: 1, vaults }))

test('data follows its vault through renames, swaps, and a stranger that takes its name', async () => {
  await place({ a: 'x', b: 'y' })
  await write({ a: 'x', b: 'y' })
  await place({ a: 'y', b: 'x' })
  expect(await owners()).toEqual({ a: 'y', b: 'x' })
  await place({ a: 'z', b: 'x' })
  expect(await owners()).toEqual({ '.kept-y': 'y', b: 'x' })
  await place({ a: 'z', b: 'x', c: 'y' })
  expect(await owners()).toEqual({ b: 'x', c: 'y' })
})

test('data of a vault that is gone stays under its name until another vault has the name, in upper case too', async () => {
  await place({ Notes: 'x' })
  await write({ Notes: 'x' })
  await place({ other: 'y' })
  expect(await owners()).toEqual({ Notes: 'x' })
  await place({ notes: 'z' })
  expect(await owners()).toEqual({ '.kept-x': 'x' })
  await place({ Notes: 'x' })
  expect(await owners()).toEqual({ Notes: 'x' })
})

test('a swap that was interrupted between and within its steps is completed', async () => {
  await place({ a: 'x', b: 'y' })
  await write({ '.renamed-x': 'x', b: 'y' })
  await place({ a: 'y', b: 'x' })
  expect(await owners()).toEqual({ a: 'y', b: 'x' })

  await known({ x: '.renamed-x', y: '.renamed-y' })
  await place({ a: 'x', b: 'y' })
  await rm(layout.audit, { recursive: true })
  await mkdir(layout.audit)
  await known({ x: '.renamed-x', y: '.renamed-y' })
  await write({ a: 'x', '.renamed-y': 'y' })
  await rm(join(layout.live, 'b.wal'))
  await place({ a: 'x', b: 'y' })
  expect(await owners()).toEqual({ a: 'x', b: 'y' })
})

/** The layout of the same home, in which `vaults.json` can be read but not replaced: the new file's name is too long. */
async function withoutRoom(): Promise<HomeLayout> {
  let daemon = join(layout.home, 'full')
  const length = 4095 - '/vaults.json'.length - 3
  while (length - daemon.length > 201) daemon = join(daemon, 'x'.repeat(Math.min(200, length - daemon.length - 2)))
  daemon = join(daemon, 'x'.repeat(length - daemon.length - 1))
  await mkdir(daemon, { recursive: true })
  await copyFile(join(layout.daemon, 'vaults.json'), join(daemon, 'vaults.json'))
  return { ...layout, daemon }
}

test('without room for the record nothing moves, and only the vaults whose data would have to move wait', async () => {
  await place({ a: 'x', b: 'y', c: 'w' })
  await write({ a: 'x', b: 'y', c: 'w' })
  const full = await withoutRoom()

  const swapped = await found({ a: 'y', b: 'x', c: 'w', d: 'new' })
  expect([...(await placeState({ layout: full, found: swapped, at, log })).keys()]).toEqual(['a', 'b'])
  expect(await owners()).toEqual({ a: 'x', b: 'y', c: 'w' })
  const replaced = await found({ a: 'stranger', b: 'y', c: 'w' })
  expect([...(await placeState({ layout: full, found: replaced, at, log })).keys()]).toEqual(['a'])
  expect(await owners()).toEqual({ a: 'x', b: 'y', c: 'w' })

  expect([...(await place({ a: 'x', b: 'y', c: 'w' })).keys()]).toEqual([])
  expect(await owners()).toEqual({ a: 'x', b: 'y', c: 'w' })
  await place({ a: 'y', b: 'x', c: 'w' })
  expect(await owners()).toEqual({ a: 'y', b: 'x', c: 'w' })
})

test('a vault whose first step was interrupted has its data also when its folder is put back', async () => {
  for (const aside of ['.renamed-x', '.kept-x']) {
    await place({ a: 'x' })
    await write({ [aside]: 'x' })
    await place({ a: 'x' })
    expect(await owners()).toEqual({ a: 'x' })

    // Half of it was moved.
    await rename(join(layout.audit, 'a.jsonl'), join(layout.audit, `${aside}.jsonl`))
    await place({ b: 'x' })
    expect(await owners()).toEqual({ b: 'x' })
    await removeData('b')
  }
})

test('a vault whose second step was interrupted has its data also under its former or a third name', async () => {
  for (const [name, other] of [
    ['a', 'b'],
    ['c', 'd'],
  ] as const) {
    await write({ '.renamed-x': 'x' })
    await rename(join(layout.audit, '.renamed-x.jsonl'), join(layout.audit, 'b.jsonl'))
    await writeFile(
      join(layout.daemon, 'vaults.json'),
      JSON.stringify({ format: 1, vaults: { x: '.renamed-x' }, moving: { x: 'b' } }),
    )
    await place({ [name]: 'x', [other]: 'stranger' })
    expect(await owners()).toEqual({ [name]: 'x' })
    await removeData(name)
  }
})

test('data that is kept under an identity belongs to it also when the record is lost', async () => {
  await write({ '.kept-x': 'x' })
  await place({ a: 'x' })
  expect(await owners()).toEqual({ a: 'x' })
})

test('data that no record assigns to a vault stays with the name, as after an upgrade or a damaged record', async () => {
  await write({ a: 'x' })
  await place({ a: 'x' })
  expect(await owners()).toEqual({ a: 'x' })
  await writeFile(join(layout.daemon, 'vaults.json'), '{')
  await place({ a: 'x' })
  expect(await owners()).toEqual({ a: 'x' })
})

test.for(['../../../evil', 'constructor', '__proto__'])(
  'an identity that is no plain name, such as %s, leads to no other folder',
  async (identity) => {
    await place({ a: identity })
    await write({ a: 'x' })
    await place({ a: 'z' })
    expect(Object.keys(await owners())).toEqual([expect.stringMatching(/^\.kept-[0-9a-f]{64}$/)])
  },
)

test('no identity makes the record too large, and a large record of before is read', async () => {
  const long = 'x'.repeat(600_000)
  await known({ [long]: 'a', [`${long}x`]: 'gone', y: 'b' })
  expect((await stat(join(layout.daemon, 'vaults.json'))).size).toBeGreaterThan(1024 * 1024)
  await write({ a: 'long', b: 'y' })
  await place({ c: long, d: 'y' })
  expect(await owners()).toEqual({ c: 'long', d: 'y' })
  expect((await stat(join(layout.daemon, 'vaults.json'))).size).toBeLessThan(2000)
  await place({ d: long, c: 'y' })
  expect(await owners()).toEqual({ c: 'y', d: 'long' })
})

test('vaults that are gone are recorded as long as they have data', async () => {
  const recorded = async () =>
    Object.keys((JSON.parse(await readFile(join(layout.daemon, 'vaults.json'), 'utf8')) as { vaults: object }).vaults)
  await place({ a: 'x', b: 'y', c: 'w' })
  await write({ a: 'x', b: 'y' })
  await place({ a: 'z' })
  expect(await recorded()).toEqual(['x', 'y', 'z'])
  await removeData('.kept-x')
  await place({ a: 'z' })
  expect(await recorded()).toEqual(['y', 'z'])
})

test('a record that cannot be used is reported', async () => {
  await place({ a: 'x' })
  await place({ a: 'x' })
  expect(said).toEqual([])
  await writeFile(join(layout.daemon, 'vaults.json'), '{')
  await place({ a: 'x' })
  expect(said.join()).toContain('the record of the vaults is not usable')
})

test('a directory without an identity has that of its name only while it cannot be another directory', async () => {
  const lost = async () => lostIdentity({ layout, name: 'a', found: new Map() })
  await place({ a: 'x', b: 'y' })
  expect(await lost()).toBe('x')
  expect(await lostIdentity({ layout, name: 'a', found: await found({ b: 'x' }) })).toBeUndefined()
  expect(await lostIdentity({ layout, name: 'c', found: new Map() })).toBeUndefined()

  const folder = join(layout.vaults, 'a')
  await rename(folder, join(layout.home, 'away'))
  await mkdir(folder)
  expect(await lost()).toBeUndefined()

  await rm(layout.vaults, { recursive: true })
  await mkdir(folder, { recursive: true })
  expect(await lost()).toBe('x')
})

test('a directory that has taken the place of an open vault is not remembered as its folder', async () => {
  const open = await found({ a: 'x' })
  await placeState({ layout, found: open, at, log })
  await rename(join(layout.vaults, 'a'), join(layout.home, 'away'))
  await mkdir(join(layout.vaults, 'a'))
  await placeState({ layout, found: new Map([...open, ...(await found({ b: 'y' }))]), at, log })
  expect(await lostIdentity({ layout, name: 'a', found: await found({ b: 'y' }) })).toBeUndefined()
})

test('without a time of birth and without its .svc, the number of a directory proves nothing', async () => {
  // The kernel gives the folders of this file system no times of birth.
  const timeless = { ...layout, vaults: '/proc' }
  expect((await stat('/proc/sys')).birthtimeMs).toBe(0)
  await placeState({ layout: timeless, found: new Map([['sys', { identity: 'x' }]]), at, log })
  expect(await lostIdentity({ layout: timeless, name: 'sys', found: new Map() })).toBeUndefined()
})
