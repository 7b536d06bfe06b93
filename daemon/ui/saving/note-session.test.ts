import { afterEach, expect, test, vi } from 'vitest'
import type { Note } from '../api/daemon-client.ts'
import { Refusal } from '../api/refusal.ts'
import { noteSession } from './note-session.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const noteOf = (content: string) => ({ content, baseline: content }) as Note

/** A note that is only read, unless `kept` has leases. The test answers its reads. */
function openRead(kept: object = { leaseOf: () => expect.fail('nothing is edited') }) {
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
    kept: kept as Parameters<typeof noteSession>[0]['kept'],
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

test('a live note that was deleted is joined again once it can be read again', async () => {
  const sockets: EventTarget[] = []
  class Connection extends EventTarget {
    constructor() {
      super()
      sockets.push(this)
    }

    close() {}
  }
  vi.stubGlobal('WebSocket', Connection)
  vi.stubGlobal('window', { location: { origin: 'http://host.test' } })
  const lease = { client: 'client-one', keep: async () => true, end: () => {} }
  const { session, reads } = openRead({ leaseOf: async () => lease })
  await session.goLive()
  const says = JSON.stringify({ type: 'gone', rescued: false })
  sockets[0]!.dispatchEvent(new MessageEvent('message', { data: says }))
  sockets[0]!.dispatchEvent(new CloseEvent('close', { code: 4404, reason: 'not_found' }))
  expect(session.current().live?.save.state).toBe('gone')

  const missing = session.recheck()
  reads[0]!.reject(new Refusal({ code: 'not_found', message: 'no such note' }))
  await missing
  expect(sockets).toHaveLength(1)
  const found = session.recheck()
  reads[1]!.resolve(noteOf('first'))
  await found
  expect(sockets).toHaveLength(2)
  session.close()
})
