import type { DaemonMessage } from '@svc/shared/wire/daemon/live-messages.ts'
import { afterEach, expect, test, vi } from 'vitest'
import type { Note } from '../api/daemon-client.ts'
import type { Unsent } from '../live/live-text.ts'
import { Refusal } from '../api/refusal.ts'
import { noteSession } from './note-session.ts'
import { shownBaseline } from './shown-baseline.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const noteOf = (content: string) => ({ content, baseline: content }) as Note

type Given = { kept?: object; createNote?: () => Promise<never> }

/** A note that is only read, unless `kept` has leases. The test answers its reads. */
function openRead({
  kept = { leaseOf: () => expect.fail('nothing is edited') },
  createNote = () => expect.fail('nothing is created'),
}: Given = {}) {
  const reads: PromiseWithResolvers<Note>[] = []
  const session = noteSession({
    client: {
      readNote: () => {
        const read = Promise.withResolvers<Note>()
        reads.push(read)
        return read.promise
      },
      createNote,
      flush: () => expect.fail('nothing is saved'),
      probe: () => expect.fail('the connection is not in doubt'),
    },
    kept: kept as Parameters<typeof noteSession>[0]['kept'],
    ref: { vaultId: 'vault', path: 'note.md' },
    note: noteOf('first'),
  })
  return { session, reads }
}

/** The connections to the daemon that a page opens. */
function connections() {
  const sockets: Connection[] = []
  class Connection extends EventTarget {
    constructor() {
      super()
      sockets.push(this)
    }

    send() {}

    close() {}

    says(...messages: DaemonMessage[]) {
      for (const message of messages) this.dispatchEvent(new MessageEvent('message', { data: JSON.stringify(message) }))
    }

    welcomes(text: string) {
      const durable = { version: 0, at: '2026-01-01T00:00:00Z', baseline: 'b' }
      const common = { you: 'me', version: 0, path: 'note.md', accepted: 0, durable }
      this.dispatchEvent(new Event('open'))
      this.says(
        { type: 'welcome', epoch: `epoch-of-socket-${sockets.length}`, resumed: false, parts: 1, ...common },
        { type: 'text', part: text },
      )
    }

    tellsEnd() {
      this.says({ type: 'gone', rescued: false })
      this.dispatchEvent(new CloseEvent('close', { code: 4404, reason: 'not_found' }))
    }
  }
  vi.stubGlobal('WebSocket', Connection)
  vi.stubGlobal('window', { location: { origin: 'http://host.test' } })
  return sockets
}

/** Each client of the note is a new one. */
function leases() {
  let nth = 0
  return { leaseOf: async () => ({ client: `client-${++nth}`, keep: async () => true, end: () => {} }) }
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

test('the baseline of a live note is that of the text, once the file has it', async () => {
  const sockets = connections()
  const { session } = openRead({ kept: leases() })
  const baseline = () => shownBaseline(session.current())
  expect(baseline()).toBe('first')
  await session.goLive()
  expect(baseline()).toBeUndefined()
  sockets[0]!.welcomes('first')
  expect(baseline()).toBe('b')
  sockets[0]!.says({ type: 'updates', version: 0, updates: [{ client: 'somebody-else', changes: [5, [0, ' words']] }] })
  expect([session.text(), baseline()]).toEqual(['first words', undefined])
  sockets[0]!.says({ type: 'durable', version: 1, at: '2026-01-01T00:00:01Z', baseline: 'c' })
  expect(baseline()).toBe('c')
  session.close()
})

test('a live note that was deleted is joined again once it can be read again', async () => {
  const sockets = connections()
  const { session, reads } = openRead({ kept: leases() })
  await session.goLive()
  sockets[0]!.tellsEnd()
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

/** A deleted note that was created again with a reply that was lost, and in which somebody typed on. */
async function createdUnawares(kept: object) {
  const sockets = connections()
  const createNote = () => Promise.reject(new Refusal({ code: 'network', message: 'no response' }))
  const { session, reads } = openRead({ kept, createNote })
  await session.goLive()
  sockets[0]!.welcomes('first')
  await session.change((now) => `my ${now}`)
  sockets[0]!.tellsEnd()
  await expect(session.createAgain()).rejects.toThrow('no response')
  await session.change((now) => `${now} and on`)
  return { session, reads, sockets }
}

test.each(['recheck', 'retry'] as const)(
  'a note that was created again, with a reply that was lost, has each word once after a %s',
  async (how) => {
    const { session, reads, sockets } = await createdUnawares(leases())
    void session[how]()
    reads[0]?.resolve(noteOf('my first'))
    await vi.waitFor(() => expect(sockets).toHaveLength(2))
    sockets[1]!.welcomes('my first')
    expect([session.text(), session.current().live?.save.state]).toEqual(['my first and on', 'saving'])
    session.close()
  },
)

/** A browser with room for so many copies of unsent text; `wasStored` says after each change whether one has the text. */
function browserWithRoom(copies: number) {
  const stored = new Map<string, string>()
  const wasStored: boolean[] = []
  let nth = 0
  const leaseOf = async () => {
    const client = `client-${++nth}`
    const keep = async (_path: string, unsent?: Unsent) => {
      const isFull = unsent !== undefined && !stored.has(client) && stored.size >= copies
      if (unsent && !isFull) stored.set(client, JSON.stringify(unsent.pending))
      if (!unsent) stored.delete(client)
      if (nth > 1) wasStored.push(JSON.stringify([...stored.values()]).includes('and on'))
      return !isFull
    }
    return { client, keep, end: () => {} }
  }
  return { kept: { leaseOf }, stored, wasStored }
}

test('what was typed after a note was created again is kept until the new link has it, though no pane shows the note', async () => {
  const { kept, stored, wasStored } = browserWithRoom(2)
  const { session, reads, sockets } = await createdUnawares(kept)
  // As the vault does with a note that nobody shows.
  let isEnded = false
  session.subscribe(() => {
    if (session.hasUnsent() || isEnded) return
    isEnded = true
    session.close()
  })

  session.retry()
  reads[0]!.resolve(noteOf('my first'))
  await vi.waitFor(() => expect(sockets).toHaveLength(2))
  sockets[1]!.welcomes('my first')
  await vi.waitFor(() => expect([...stored.keys()]).toEqual(['client-2']))
  expect([isEnded, session.text()]).toEqual([false, 'my first and on'])
  expect(wasStored).not.toContain(false)
  expect(wasStored.length).toBeGreaterThan(1)
  session.close()
})

test('what was typed after a note was created again is kept in a browser that has no room for two copies', async () => {
  const { kept, stored } = browserWithRoom(1)
  const { session, reads, sockets } = await createdUnawares(kept)
  session.retry()
  reads[0]!.resolve(noteOf('my first'))
  await vi.waitFor(() => expect(sockets).toHaveLength(2))
  sockets[1]!.welcomes('my first')
  await vi.waitFor(() => expect([...stored.keys(), session.isKept()]).toEqual(['client-2', true]))
  expect(session.text()).toBe('my first and on')
  session.close()
})
