import { ChangeSet } from '@codemirror/state'
import { expect, test } from 'vitest'
import { UpdateLog } from './update-log.ts'

const MB = 1024 * 1024
const replaceAll = (length: number) => ({
  clientID: 'ada',
  changes: ChangeSet.of({ from: 0, to: length, insert: 'x'.repeat(length) }, length),
})
const typed = { clientID: 'ada', changes: ChangeSet.of({ from: 1, insert: 'x' }, 2) }

test('keeps the latest thousand updates that people type', () => {
  const log = new UpdateLog()
  for (let nth = 0; nth < 5000; nth++) log.add([typed])
  expect(log.version).toBe(5000)
  expect(log.since(4000)).toHaveLength(1000)
  expect(log.since(2000)).toBeUndefined()
})

test('keeps few updates that insert much, and the newest one unless it is too large to send', () => {
  const log = new UpdateLog()
  for (let nth = 0; nth < 100; nth++) {
    log.add([replaceAll(256 * 1024)])
    expect(log.bytes).toBeLessThan(5 * MB)
  }
  expect(log.since(98)).toHaveLength(2)
  expect(log.since(90)).toBeUndefined()
  log.add([replaceAll(10 * MB)])
  expect([log.version, log.since(100), log.since(101)]).toEqual([101, undefined, []])
  log.add([typed])
  expect(log.since(101)).toEqual([typed])
  expect(log.bytes).toBeLessThan(1000)
})

test('keeps even that after a version that is needed', () => {
  const log = new UpdateLog()
  log.add([typed])
  log.add([replaceAll(10 * MB)], 1)
  expect(log.since(1)).toHaveLength(1)
})

test('keeps what is needed, however much it is', () => {
  const log = new UpdateLog()
  log.add([typed, typed])
  for (let nth = 0; nth < 20; nth++) log.add([replaceAll(512 * 1024)], 1)
  expect(log.since(1)).toHaveLength(21)
  expect(log.since(0)).toBeUndefined()
  log.add([typed])
  expect(log.since(1)).toBeUndefined()
})

test('keeps but a few updates when memory is short, and still what is needed', () => {
  const log = new UpdateLog()
  for (let nth = 0; nth < 1000; nth++) log.add([typed])
  const { bytes } = log
  expect(log.shrink()).toBe(bytes - log.bytes)
  expect([log.since(949), log.since(950)?.length]).toEqual([undefined, 50])
  expect(log.shrink()).toBe(0)
  log.add([replaceAll(MB)], 940)
  expect(log.shrink(950)).toBe(0)
  log.shrink()
  expect(log.since(1000)).toHaveLength(1)
})

test('takes back what came after a version', () => {
  const log = new UpdateLog()
  log.add([typed])
  const { bytes } = log
  log.add([typed, replaceAll(1000)])
  log.rollBack(1)
  expect([log.version, log.bytes, log.since(0)?.length, log.since(2)]).toEqual([1, bytes, 1, undefined])
})
