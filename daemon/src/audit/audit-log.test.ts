import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { faultyDisk } from '../../../test/support/faulty-disk.ts'
import { verifies } from '../../../test/requirements.ts'
import { systemDisk, type Disk } from '../files/disk/disk.ts'
import { createAuditLog, type Mutation } from './audit-log.ts'
import type { Evidence } from './evidence.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-audit-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const open = (isMade: (evidence: Evidence) => boolean = () => false, disk: Disk = systemDisk) =>
  createAuditLog({
    folder,
    vaultId: 'v',
    disk,
    clock: systemClock,
    log: createLog({ service: 'test', level: 'fatal' }),
    isMade: async (evidence) => isMade(evidence),
  })
const mutation = (path: string): Mutation => ({ by: { kind: 'local' }, tool: 'write_note', path, before: 'b' })
const gone = (at: string): Evidence => ({ at, is: 'absent' })
const outcomes = async (log: ReturnType<typeof open>, limit = 100) =>
  (await log.newest(limit)).map(({ path, outcome, after }) => [path, outcome, after])
const file = () => join(folder, 'v.jsonl')

test('an entry is there before its change, and knows what came of it', async () => {
  verifies('audit.intent')
  const log = open()
  const first = await log.intend(mutation('a'), gone('a'))
  expect(await outcomes(log)).toEqual([['a', 'pending', undefined]])
  const second = await log.intend(mutation('b'), gone('b'))
  second.failed()
  first.done('new')
  await log.record({ ...mutation('c'), after: 'b' })
  expect(await outcomes(log)).toEqual([
    ['c', 'done', 'b'],
    ['b', 'failed', undefined],
    ['a', 'done', 'new'],
  ])
  expect(await outcomes(log, 1)).toEqual([['c', 'done', 'b']])
})

test('the entries of one actor are listed however many others were made since, with what came of them', async () => {
  const log = open()
  const agent = { kind: 'mcp_client', client: 'Archivist' } as const
  const first = await log.intend({ ...mutation('agent'), by: agent }, gone('agent'))
  for (let nth = 0; nth < 5; nth++) (await log.intend(mutation(`person ${nth}`), gone('x'))).done('new')
  first.done('new')
  await log.record({ ...mutation('later'), by: agent })
  await log.record(mutation('last'))
  const paths = async (limit: number, actor?: string) =>
    (await log.newest(limit, { actor })).map(({ path, outcome }) => [path, outcome])
  expect(await paths(2, 'mcp_client')).toEqual([
    ['later', 'done'],
    ['agent', 'done'],
  ])
  expect(await paths(1, 'mcp_client')).toEqual([['later', 'done']])
  expect(await paths(9, 'usr_x')).toEqual([])
  expect(await paths(1)).toEqual([['last', 'done']])
})

test('what a kill left open is concluded by what the vault shows, once', async () => {
  verifies('audit.intent')
  const killed = open()
  await killed.intend(mutation('made'), gone('made'))
  await killed.intend(mutation('unmade'), gone('unmade'))
  // The kill also cut off a line.
  await appendFile(file(), '{"id":"torn')
  const next = open(({ at }) => at === 'made')
  expect(await outcomes(next)).toEqual([
    ['unmade', 'interrupted', undefined],
    ['made', 'done', undefined],
  ])
  await next.close()
  const size = (await readFile(file())).length
  const third = open(() => {
    throw new Error('asked again')
  })
  expect((await outcomes(third)).map(([path]) => path)).toEqual(['unmade', 'made'])
  await third.close()
  expect((await readFile(file())).length).toBe(size)
})

test('a full disk refuses the intent, and never loses the outcome of a change that was made', async () => {
  verifies('audit.intent')
  const { disk, arm, heal } = faultyDisk()
  const log = open(undefined, disk)
  const intent = await log.intend(mutation('a'), gone('a'))
  arm({ at: 1, errno: 'ENOSPC', lasts: 'on' })
  await expect(log.intend(mutation('b'), gone('b'))).rejects.toMatchObject({ code: 'storage_full' })
  intent.done('new')
  expect(await outcomes(log)).toEqual([['a', 'pending', undefined]])
  heal()
  await log.record({ ...mutation('c') })
  expect(await outcomes(log)).toEqual([
    ['c', 'done', undefined],
    ['a', 'done', 'new'],
  ])
})

test('entries of many writers at once share their syncs', async () => {
  let syncs = 0
  const disk: Disk = {
    ...systemDisk,
    open: async (...args: Parameters<Disk['open']>) => {
      const handle = await systemDisk.open(...args)
      const { datasync } = handle
      handle.datasync = () => {
        syncs++
        return datasync.call(handle)
      }
      return handle
    },
  }
  const log = open(undefined, disk)
  await Promise.all(Array.from({ length: 50 }, (_, index) => log.record(mutation(String(index)))))
  expect((await outcomes(log)).length).toBe(50)
  expect(syncs).toBeLessThan(10)
})

test('entries that are longer than the part that is read at once are whole', async () => {
  const log = open()
  const long = `${'x'.repeat(200_000)}é`
  await log.record(mutation('short'))
  await log.record(mutation(long))
  expect((await outcomes(log)).map(([path]) => path)).toEqual([long, 'short'])
})

/** The lines of the file as far as a start reads them: those after the last mark, and all before them. */
async function sinceMark() {
  const lines = (await readFile(file(), 'utf8')).split('\n').filter((line) => line !== '')
  const entries = lines.map((line) => JSON.parse(line) as { id?: string; outcome?: string; opened?: string })
  const mark = entries.findLastIndex(({ opened }) => opened !== undefined)
  return { entries, read: entries.slice(mark + 1) }
}

test('a start reads only the newest entries, however long the daemon ran, and forgets no open one', async () => {
  verifies('audit.short-start')
  const log = open()
  const open1 = await log.intend(mutation('long'), gone('long'))
  const round = async (entries: number) => {
    const intents = await Promise.all(
      Array.from({ length: entries }, (_, nth) => log.intend(mutation(`${nth}`), gone(''))),
    )
    for (const [nth, intent] of intents.entries())
      if (nth % 2 === 0) intent.done('new')
      else intent.failed()
    await Promise.all(Array.from({ length: entries }, (_, nth) => log.record(mutation(`${nth}`))))
  }
  await round(2000)
  await log.close()
  // An intent is open all the time, so there can be no mark.
  expect((await sinceMark()).entries.filter(({ opened }) => opened !== undefined)).toEqual([])
  open1.done('new')
  await round(2000)
  await log.close()
  await log.intend(mutation('killed'), gone('killed'))
  const { entries, read } = await sinceMark()
  expect(entries.length).toBeGreaterThan(12_000)
  expect(read.length).toBeLessThan(3500)

  // At each mark, every intent before it is concluded.
  const unconcluded = new Set<string>()
  for (const { id, outcome, opened } of entries)
    if (opened !== undefined) expect(unconcluded.size).toBe(0)
    else if (id !== undefined && outcome === undefined) unconcluded.add(id)
    else if (id !== undefined) unconcluded.delete(id)

  const asked: string[] = []
  const next = open(({ at }) => asked.push(at) === 0)
  expect(await outcomes(next, 1)).toEqual([['killed', 'interrupted', undefined]])
  expect(asked).toEqual(['killed'])
  expect((await outcomes(next, 10_000)).length).toBe(8002)
  await next.close()
})

test('there is no mark before what an earlier run left open is concluded', async () => {
  verifies('audit.short-start')
  const killed = open()
  await killed.intend(mutation('made'), gone('made'))
  const broken = open(() => {
    throw new Error('the volume is away')
  })
  await Promise.all(Array.from({ length: 3000 }, (_, nth) => broken.record(mutation(`${nth}`))))
  await broken.close()
  const next = open(({ at }) => at === 'made')
  expect((await outcomes(next, 10_000)).at(-1)).toEqual(['made', 'done', undefined])
  await next.close()
})

test('an intent that a full disk refused is closed before the next mark', async () => {
  verifies('audit.short-start')
  // The disk keeps the line, although it reports a failure and cannot take it back.
  let isFull = false
  const disk: Disk = {
    ...systemDisk,
    open: async (...args: Parameters<Disk['open']>) => {
      const handle = await systemDisk.open(...args)
      const fail = async () => {
        throw Object.assign(new Error('EIO'), { code: 'EIO' })
      }
      const { writeFile } = handle
      if (isFull) {
        handle.truncate = fail
        handle.writeFile = (async (content: string) => {
          await writeFile.call(handle, content)
          return fail()
        }) as typeof writeFile
      }
      return handle
    },
  }
  const log = open(undefined, disk)
  await log.record(mutation('first'))
  isFull = true
  await expect(log.intend(mutation('refused'), gone('refused'))).rejects.toThrow()
  isFull = false
  await Promise.all(Array.from({ length: 3000 }, (_, nth) => log.record(mutation(`${nth}`))))
  await log.record(mutation('last'))
  await log.close()
  const { entries } = await sinceMark()
  expect(entries.filter(({ opened }) => opened !== undefined).length).toBeGreaterThan(0)
  const found = (await outcomes(log, 10_000)).find(([path]) => path === 'refused')
  expect(found).toEqual(['refused', 'failed', undefined])
})

test('counts what reverts took back of an agent: what was made, once, also after a kill', async () => {
  verifies('agents.undone')
  const undone = [{ client: 'Archivist', revisions: [['r1', 2] satisfies [string, number]] }]
  const revert = (path: string): Mutation => ({ ...mutation(path), undone })
  const killed = open()
  const made = await killed.intend(revert('a'), gone('a'))
  made.done('new')
  const again = await killed.intend(revert('a'), gone('a'))
  again.done('newer')
  const refused = await killed.intend(revert('b'), gone('b'))
  refused.failed()
  expect(await killed.undone()).toMatchObject([{ client: 'Archivist', changes: 2 }])
  await killed.intend(revert('made'), gone('made'))
  await killed.intend(revert('unmade'), gone('unmade'))

  const next = open(({ at }) => at === 'made')
  expect(await next.undone()).toMatchObject([{ client: 'Archivist', changes: 4 }])
  const last = await next.intend(revert('c'), gone('c'))
  last.done('new')
  expect(await next.undone()).toMatchObject([{ client: 'Archivist', changes: 6 }])
  expect(await next.newest(1)).toEqual([expect.not.objectContaining({ undone: expect.anything() as unknown })])
  await next.close()
})
