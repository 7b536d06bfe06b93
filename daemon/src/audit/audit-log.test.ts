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
