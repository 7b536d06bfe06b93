import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { SearchResult } from '@svc/shared/wire/daemon/daemon.api.ts'
import { verifies } from '../requirements.ts'
import { call, newHome, startSvcd, type Svcd } from '../support/svcd.ts'
import { until } from '../support/until.ts'

let daemon: Svcd
afterEach(() => daemon.remove())

const isReady = async () => (await call(daemon, '/api/ready')).status === 200
const ready = () => until('the index is in use', isReady)
const find = async (q: string) => {
  const { hits, partial } = SearchResult.parse((await call(daemon, `/api/vaults/v/search?limit=200&q=${q}`)).body)
  return { paths: hits.map(({ path }) => path).sort(), partial }
}
const segment = () => join(daemon.home, 'daemon/index/v/segment')

async function startWith(count: number): Promise<string[]> {
  const home = await newHome()
  const folder = join(home, 'vaults/v')
  await mkdir(folder, { recursive: true })
  const paths = Array.from({ length: count }, (_, number) => `note-${number}.md`)
  for (const path of paths) await writeFile(join(folder, path), `# ${path}\n\ncommon ${path.replaceAll(/\D/g, 'n')}\n`)
  daemon = await startSvcd({ home, env: { SVC_SEARCH_DEADLINE_MS: '60000' } })
  return paths.sort()
}

test('a start trusts the index for notes that have not changed, and sees those that have', async () => {
  verifies('search.warm-start')
  const paths = await startWith(150)
  await ready()
  expect(await find('common')).toEqual({ paths, partial: false })
  expect(await daemon.stop()).toBe(0)

  const before = await readFile(segment())
  await writeFile(daemon.file('v', 'note-1.md'), 'changed while nobody looked\n')
  await rm(daemon.file('v', 'note-2.md'))
  await writeFile(daemon.file('v', 'new.md'), 'common and new\n')
  await daemon.restart()
  await ready()
  const expected = [...paths.filter((path) => !['note-1.md', 'note-2.md'].includes(path)), 'new.md'].sort()
  expect(await find('common')).toEqual({ paths: expected, partial: false })
  expect((await find('looked')).paths).toEqual(['note-1.md'])
  // Three changes do not rebuild the index: the segment is that of the first run.
  expect(await readFile(segment())).toEqual(before)
  expect((await call(daemon, '/api/vaults/v')).body).toMatchObject({ vault: { notes: 150, index: { notes: 150 } } })
})

test('a damaged index is built anew at the start', async () => {
  verifies('search.damaged-index')
  const paths = await startWith(120)
  await ready()
  await daemon.kill()
  await writeFile(segment(), 'no segment at all')
  await daemon.restart()
  await ready()
  expect(await find('common')).toEqual({ paths, partial: false })
})

test('a daemon that is stopped while it builds throws the build away; killed, it is not outlived by it', async () => {
  verifies('search.stop-while-building')
  await startWith(1500)
  expect(await daemon.stop()).toBe(0)
  const left = await readdir(join(daemon.home, 'daemon/index/v')).catch(() => [])
  expect(left.filter((name) => name !== 'segment')).toEqual([])

  await rm(segment(), { force: true })
  await daemon.restart()
  await daemon.kill()
  await daemon.restart()
  await ready()
  expect((await find('common')).partial).toBe(false)
  expect(await readdir(join(daemon.home, 'daemon/index/v'))).toEqual(['segment'])
})

test('a vault that changes while it is first listed and read is found as it is afterwards', async () => {
  const home = await newHome()
  for (let folder = 0; folder < 30; folder++) {
    await mkdir(join(home, `vaults/v/${folder}`), { recursive: true })
    for (let note = 0; note < 100; note++) await writeFile(join(home, `vaults/v/${folder}/${note}.md`), 'common\n')
  }
  daemon = await startSvcd({ home, env: { SVC_SEARCH_DEADLINE_MS: '60000' } })
  const changing = ['0/0.md', '15/50.md', '29/99.md']
  await rm(daemon.file('v', '29/98.md'))
  let round = 0
  do {
    round++
    for (const path of changing) await writeFile(daemon.file('v', path), `changed in round${round}x\n`)
  } while (!(await isReady()))

  await until('the last change is found', async () => (await find(`round${round}x`)).paths.length === changing.length)
  expect((await find(`round${round}x`)).paths).toEqual(changing)
  expect((await find(`round${round - 1}x`)).paths).toEqual([])
  await until('the deleted note is forgotten', async () => {
    const { body } = await call(daemon, '/api/vaults/v')
    const { notes, index } = (body as { vault: { notes: number; index: { notes: number } } }).vault
    return notes === 2999 && index.notes === 2999
  })
})
