import { afterEach, expect, test, vi } from 'vitest'
import type { Note } from '../api/daemon-client.ts'
import { Refusal } from '../api/refusal.ts'
import { noteSession } from './note-session.ts'

afterEach(() => void vi.useRealTimers())

const noteOf = (content: string) => ({ content, baseline: content }) as Note

/** A note that is only read. The test answers its reads. */
function openRead() {
  const reads: PromiseWithResolvers<Note>[] = []
  const session = noteSession({
    client: {
      readNote: () => {
        const read = Promise.withResolvers<Note>()
        reads.push(read)
        return read.promise
      },
      createNote: () => expect.fail('nothing is created'),
      flush: () => expect.fail('nothing is saved'),
      probe: () => expect.fail('the connection is not in doubt'),
    },
    kept: { leaseOf: () => expect.fail('nothing is edited') } as unknown as Parameters<typeof noteSession>[0]['kept'],
    ref: { vaultId: 'vault', path: 'note.md' },
    note: noteOf('first'),
  })
  return { session, reads }
}

test('the answer of an older read does not replace that of a newer one', async () => {
  const { session, reads } = openRead()
  const both = [session.recheck(), session.recheck()]
  reads[1]!.resolve(noteOf('newer'))
  await both[1]
  reads[0]!.resolve(noteOf('older'))
  await both[0]
  expect(session.text()).toBe('newer')
})

test('an older read is shown while a newer one is under way', async () => {
  const { session, reads } = openRead()
  const both = [session.recheck(), session.recheck()]
  reads[0]!.resolve(noteOf('older'))
  await both[0]
  expect(session.text()).toBe('older')
})

test('a read that fails in passing is repeated', async () => {
  vi.useFakeTimers()
  const { session, reads } = openRead()
  const failing = session.recheck()
  reads[0]!.reject(new Refusal({ code: 'network', message: 'no response' }))
  await failing
  await vi.advanceTimersByTimeAsync(1_000)
  reads[1]!.resolve(noteOf('changed'))
  await vi.advanceTimersByTimeAsync(0)
  expect(session.text()).toBe('changed')
})

test('a read that fails in passing is not repeated after the note was closed, or beside a newer one', async () => {
  vi.useFakeTimers()
  const { session, reads } = openRead()
  const both = [session.recheck(), session.recheck()]
  reads[0]!.reject(new Refusal({ code: 'network', message: 'no response' }))
  await both[0]
  await vi.advanceTimersByTimeAsync(60_000)
  expect(reads).toHaveLength(2)
  reads[1]!.reject(new Refusal({ code: 'network', message: 'no response' }))
  await both[1]
  session.close()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(reads).toHaveLength(2)
})

test('a note that is missing counts as deleted, until it is found again', async () => {
  const { session, reads } = openRead()
  const missing = session.recheck()
  reads[0]!.reject(new Refusal({ code: 'not_found', message: 'no such note' }))
  await missing
  expect(session.current().isGone).toBe(true)
  const found = session.recheck()
  reads[1]!.resolve(noteOf('first'))
  await found
  expect(session.current().isGone).toBe(false)
})
