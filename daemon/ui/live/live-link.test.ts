import { ChangeSet } from '@codemirror/state'
import type { ClientMessage, DaemonMessage } from '@svc/shared/wire/daemon/live-messages.ts'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { liveLink } from './live-link.ts'
import type { Socket } from './reconnecting-socket.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** The other end of a connection. It never closes by itself: a lost network sends no close event. */
class Wire extends EventTarget implements Socket {
  readonly sent: ClientMessage[] = []
  isGivenUp = false

  send(data: string) {
    this.sent.push(JSON.parse(data) as ClientMessage)
  }

  close() {
    this.isGivenUp = true
  }

  says(...messages: DaemonMessage[]) {
    for (const message of messages) this.dispatchEvent(new MessageEvent('message', { data: JSON.stringify(message) }))
  }

  opens() {
    this.dispatchEvent(new Event('open'))
  }
}

const epoch = 'epoch-one'
const durable = { version: 0, at: '2026-01-01T00:00:00Z', baseline: 'b' }
const welcome = { type: 'welcome', you: 'me', epoch, version: 0, path: 'n.md', accepted: 0, durable } as const

function scene() {
  const wires: Wire[] = []
  const kept: unknown[] = []
  const unattended: boolean[] = []
  const openSocket = (_path: string, { isUnattended }: { isUnattended: boolean }) => {
    const wire = new Wire()
    wires.push(wire)
    unattended.push(isUnattended)
    return wire
  }
  const keep = async (unsent: unknown) => {
    kept.push(unsent)
    return true
  }
  const link = liveLink({ openSocket, path: 'n.md', client: 'client-one', keep })
  const joined = (text = 'words') => {
    wires.at(-1)!.opens()
    wires.at(-1)!.says({ ...welcome, resumed: false, parts: 1 }, { type: 'text', part: text })
  }
  const type = (insert: string) => link.edit(ChangeSet.of({ from: 0, insert }, link.text()!.length, '\n'))
  const sent = (kind: ClientMessage['type']) => wires.at(-1)!.sent.filter((message) => message.type === kind)
  return { link, wires, kept, unattended, joined, type, sent }
}

test('only a connection that somebody waits for, or that has words to send, may wake the host', () => {
  const { link, wires, unattended, joined, type } = scene()
  joined()
  wires[0]!.dispatchEvent(new CloseEvent('close', { code: 1012 }))
  vi.advanceTimersByTime(16_000)
  expect(unattended).toEqual([false, true])
  wires[1]!.dispatchEvent(new CloseEvent('close', { code: 1006 }))
  link.retry()
  expect(unattended).toEqual([false, true, false])
  wires[2]!.dispatchEvent(new CloseEvent('close', { code: 1006 }))
  vi.advanceTimersByTime(16_000)
  expect(unattended.slice(3)).toEqual([false])
  wires[3]!.opens()
  wires[3]!.says({ ...welcome, resumed: true, parts: 0 })
  type('words ')
  wires[3]!.dispatchEvent(new CloseEvent('close', { code: 1012 }))
  vi.advanceTimersByTime(16_000)
  expect(unattended.slice(4)).toEqual([false])
})

test('words that are not confirmed are sent again on another connection', () => {
  const { link, wires, joined, type, sent } = scene()
  joined()
  type('my ')
  expect(sent('push')).toHaveLength(1)
  vi.advanceTimersByTime(15_000)
  expect(wires).toHaveLength(1)
  vi.advanceTimersByTime(15_000)
  expect(wires.map(({ isGivenUp }) => isGivenUp)).toEqual([true, false])
  expect(link.current().save).toEqual({ state: 'offline', hasUnsent: true })
  wires[1]!.opens()
  wires[1]!.says({ ...welcome, resumed: true, parts: 0 })
  expect(sent('push')).toEqual([{ type: 'push', version: 0, seq: 1, updates: [[[0, 'my '], 5]] }])
})

test('a host that refuses each push for lack of space is asked ever less often, and the reason stays', () => {
  vi.spyOn(Math, 'random').mockReturnValue(0)
  onTestFinished(() => void vi.restoreAllMocks())
  const { link, wires, joined, type } = scene()
  joined()
  type('my ')
  const states = new Set<string>()
  const delays: number[] = []
  for (let nth = 1; nth <= 5; nth++) {
    wires.at(-1)!.dispatchEvent(new CloseEvent('close', { code: 4507, reason: 'storage_full' }))
    const stop = link.subscribe(() => states.add(link.current().save.state))
    for (let ms = 0; wires.length === nth; ms++) {
      if (vi.advanceTimersByTime(1) && wires.length > nth) delays.push(ms + 1)
    }
    wires.at(-1)!.opens()
    wires.at(-1)!.says({ ...welcome, resumed: true, parts: 0 })
    stop()
  }
  expect(delays).toEqual([125, 250, 500, 1000, 2000])
  expect([...states]).toEqual(['failed'])
  vi.advanceTimersByTime(1000)
  wires.at(-1)!.says({ type: 'updates', version: 0, updates: [{ client: 'client-one', changes: [[0, 'my '], 5] }] })
  expect(link.current().save.state).toBe('saved')
})

test('a connection that is not answered, or stops amid the text, is opened again', () => {
  const { wires } = scene()
  vi.advanceTimersByTime(60_000)
  expect(wires).toHaveLength(2)
  wires[1]!.opens()
  wires[1]!.says({ ...welcome, resumed: false, parts: 2 }, { type: 'text', part: 'half' })
  vi.advanceTimersByTime(60_000)
  expect(wires).toHaveLength(3)
})

test('a connection that gave signs of life and falls silent is opened again, a quiet one is left alone', () => {
  const { wires, joined } = scene()
  joined()
  vi.advanceTimersByTime(3_600_000)
  expect(wires).toHaveLength(1)
  for (let nth = 0; nth < 10; nth++) {
    wires[0]!.says({ type: 'alive' })
    vi.advanceTimersByTime(30_000)
  }
  expect(wires).toHaveLength(1)
  vi.advanceTimersByTime(60_000)
  expect(wires).toHaveLength(2)
})

test('when the person or the network is back, one missed sign of life is enough', () => {
  const { link, wires, joined } = scene()
  joined()
  wires[0]!.says({ type: 'alive' })
  vi.advanceTimersByTime(30_000)
  link.retry()
  expect(wires).toHaveLength(1)
  vi.advanceTimersByTime(10_000)
  link.retry()
  expect(wires).toHaveLength(2)
})

test('the caret is told again when the words before it are confirmed, and after every break', () => {
  const { link, wires, joined, type, sent } = scene()
  joined()
  type('my ')
  link.cursor(3, 3)
  vi.advanceTimersByTime(1000)
  expect(sent('cursor')).toEqual([{ type: 'cursor', version: 0, anchor: 0, head: 0 }])
  wires[0]!.says({ type: 'updates', version: 0, updates: [{ client: 'client-one', changes: [[0, 'my '], 5] }] })
  vi.advanceTimersByTime(1000)
  expect(sent('cursor').slice(1)).toEqual([{ type: 'cursor', version: 1, anchor: 3, head: 3 }])

  wires[0]!.dispatchEvent(Object.assign(new Event('close'), { code: 1006, reason: '' }))
  vi.advanceTimersByTime(10_000)
  wires[1]!.opens()
  wires[1]!.says({ ...welcome, version: 2, accepted: 1, resumed: true, parts: 0 })
  wires[1]!.says({ type: 'updates', version: 1, updates: [{ client: 'other-client', changes: [[0, 'all '], 8] }] })
  vi.advanceTimersByTime(1000)
  expect(sent('cursor')).toEqual([{ type: 'cursor', version: 2, anchor: 7, head: 7 }])
})

test('somebody who types stays behind what they typed, and before what another writes there', () => {
  const { link, wires, joined, type } = scene()
  joined('')
  const who = { kind: 'person', name: 'Ben' } as const
  wires[0]!.says({ type: 'people', people: [{ id: 'ben', client: 'bens-client', who }] })
  wires[0]!.says({ type: 'cursor', id: 'ben', version: 0, anchor: 0, head: 0 })
  wires[0]!.says({ type: 'updates', version: 0, updates: [{ client: 'bens-client', changes: [[0, 'Then']] }] })
  const head = () => link.current().presence.cursors.get('ben')?.head
  expect(head()).toBe(4)
  wires[0]!.says({ type: 'updates', version: 1, updates: [{ client: 'other-client', changes: [4, [0, ' more']] }] })
  expect(head()).toBe(4)
  type('First ')
  expect(head()).toBe(10)
})

test('after an update that does not fit, the whole text is asked for and nothing typed is lost', () => {
  const { link, wires, joined, type, sent } = scene()
  joined()
  type('my ')
  wires[0]!.says({
    type: 'updates',
    version: 0,
    updates: [
      { client: 'other-client', changes: [5, [0, ' fit']] },
      { client: 'other-client', changes: [500, [0, ' do not']] },
    ],
  })
  expect(link.text()!.toString()).toBe('my words')
  vi.advanceTimersByTime(1000)
  joined('words fit')
  expect(wires.map(({ isGivenUp }) => isGivenUp)).toEqual([true, false])
  expect(sent('hello')).toEqual([{ type: 'hello', clientId: 'client-one', alive: true }])
  expect(link.text()!.toString()).toBe('my words fit')
  expect(sent('push')).toEqual([{ type: 'push', version: 0, seq: 1, updates: [[[0, 'my '], 9]] }])
})

test('a client that the daemon has forgotten loads the whole text, and what it typed is sent once', () => {
  const { link, wires, joined, type, sent } = scene()
  joined()
  type('my ')
  wires[0]!.says({ type: 'updates', version: 0, updates: [{ client: 'client-one', changes: [[0, 'my '], 5] }] })
  vi.advanceTimersByTime(1000)
  type('In ')
  wires[0]!.dispatchEvent(new CloseEvent('close', { code: 1006 }))
  type('Now: ')
  vi.advanceTimersByTime(1000)
  wires[1]!.opens()
  wires[1]!.says({ ...welcome, version: 2, resumed: true, parts: 0 })
  // The update that was on its way has arrived. Its receipt is as lost as that of the first one.
  wires[1]!.says({ type: 'updates', version: 1, updates: [{ client: 'client-one', changes: [[0, 'In '], 8] }] })
  vi.advanceTimersByTime(1000)
  expect([wires.length, wires[1]!.isGivenUp, sent('hello')]).toEqual([3, true, []])
  wires[2]!.opens()
  expect(sent('hello')).toEqual([{ type: 'hello', clientId: 'client-one', alive: true }])
  wires[2]!.says({ ...welcome, version: 2, resumed: false, parts: 1 }, { type: 'text', part: 'In my words' })
  expect(link.text()!.toString()).toBe('Now: In my words')
  expect(sent('push')).toEqual([{ type: 'push', version: 2, seq: 1, updates: [[[0, 'Now: '], 11]] }])
})

test('a note that was deleted is joined again when it is back, with what was typed meanwhile', () => {
  const { link, wires, joined, type, sent } = scene()
  joined()
  const ben = { kind: 'person', name: 'Ben' } as const
  wires[0]!.says({ type: 'gone', rescued: false, who: ben })
  wires[0]!.dispatchEvent(new CloseEvent('close', { code: 4404, reason: 'not_found' }))
  type('my ')
  expect([link.isAbsent(), link.current().save]).toMatchObject([true, { state: 'gone', who: ben }])
  vi.advanceTimersByTime(3_600_000)
  expect(wires).toHaveLength(1)

  link.retry()
  wires[1]!.dispatchEvent(new CloseEvent('close', { code: 4404, reason: 'not_found' }))
  expect([link.isAbsent(), link.current().save]).toMatchObject([true, { state: 'gone', who: ben }])
  vi.advanceTimersByTime(3_600_000)
  expect(wires).toHaveLength(2)

  link.retry()
  wires[2]!.opens()
  wires[2]!.says({ ...welcome, epoch: 'epoch-two', resumed: false, parts: 1 }, { type: 'text', part: 'words' })
  expect(sent('push')).toMatchObject([{ updates: [[[0, 'my '], 5]] }])
  expect([link.isAbsent(), link.current().save.state]).toEqual([false, 'saving'])
})

test('a closed link takes no changes: nobody would send them, or delete the copy in the browser', async () => {
  const { link, kept, joined, type } = scene()
  joined()
  await link.close()
  link.change((now) => `${now} of a file`)
  type('my ')
  await link.close()
  vi.advanceTimersByTime(3_600_000)
  expect([link.text()!.toString(), link.hasUnsent(), kept]).toEqual(['words', false, []])
})
