import { ChangeSet, Text } from '@codemirror/state'
import { liveLimits } from '@svc/shared/wire/daemon/live-messages.ts'
import { readPush } from '@svc/shared/wire/daemon/read-client-message.ts'
import { expect, test } from 'vitest'
import { verifies } from '../../../test/requirements.ts'
import { LiveText } from './live-text.ts'

test('a word that is replaced everywhere in a long note is sent in pushes that the daemon reads', () => {
  const line = 'a word in a line\n'
  const lines = 10_000
  const text = new LiveText({
    clientId: 'c',
    epoch: 'e',
    version: 0,
    acked: 0,
    confirmed: line.repeat(lines),
    pending: [],
  })
  const changes = Array.from({ length: lines }, (_, nth) => {
    const from = nth * line.length + 2
    return { from, to: from + 4, insert: 'other' }
  })
  text.edit(ChangeSet.of(changes, text.text.length, '\n'))
  let pushes = 0
  for (; text.hasUnsent; pushes++) {
    const push = text.sendable({
      updates: liveLimits.maxUpdates,
      characters: liveLimits.maxInserted,
      sections: liveLimits.maxPushSections,
    })
    expect(readPush({ type: 'push', ...push })).toBeDefined()
    const updates = push.updates.map((changes) => ({ client: 'c', changes: changes as never }))
    text.receive({ version: push.version, updates })
  }
  expect(pushes).toBeGreaterThan(1)
  expect(text.text.toString()).toBe('a other in a line\n'.repeat(lines))
})

const BATCH = { updates: 10, characters: 1_000, sections: 1_000 }
const insert = (text: LiveText, from: number, words: string) =>
  text.edit(ChangeSet.of({ from, insert: words }, text.text.length))

/** A page that continues from a copy without its last two updates, which the daemon has, and that is typed in again. */
function afterCrash() {
  const before = new LiveText({ clientId: 'c', epoch: 'e', version: 4, acked: 9, confirmed: '', pending: [] })
  insert(before, 0, 'a')
  before.sendable(BATCH)
  const copy = before.unsent()
  insert(before, 1, 'b')
  before.sendable(BATCH)
  insert(before, 2, 'c')
  const sent = before.sendable(BATCH)
  const text = new LiveText(copy)
  insert(text, 1, ' one')
  insert(text, 5, ' two')
  insert(text, 9, ' three')
  return { text, sent }
}

test('what is typed after a crash is not taken for updates that the copy lacks, when the whole text comes', () => {
  verifies('ui.unsent-kept')
  const { text } = afterCrash()
  text.replace({ epoch: 'next', version: 0, accepted: 12, text: 'abc' })
  for (const words of ['bc', ' one two three']) expect(text.text.toString()).toContain(words)
  const { seq, updates } = text.sendable(BATCH)
  expect(seq).toBe(13)
  text.receive({ version: 0, updates: updates.map((changes) => ({ client: 'c', changes: changes as never })) })
  expect(text.hasUnsent).toBe(false)
  expect(text.text.toString()).toContain(' one two three')
})

test('what is typed after a crash is not taken for updates that the copy lacks, when the missed updates come', () => {
  verifies('ui.unsent-kept')
  const { text, sent } = afterCrash()
  text.receive({ version: 4, updates: sent.updates.map((changes) => ({ client: 'c', changes: changes as never })) })
  expect(text.acked).toBe(12)
  for (const words of ['bc', ' one two three']) expect(text.text.toString()).toContain(words)
  const { version, seq, updates } = text.sendable(BATCH)
  expect([version, seq]).toEqual([7, 13])
  const daemon = updates.reduce((now, changes) => ChangeSet.fromJSON(changes).apply(now), Text.of(['abc']))
  expect(daemon.toString()).toBe(text.text.toString())
})

test('what is typed offline is few updates, and is merged with a thousand missed ones without a wait', () => {
  verifies('ui.unsent-kept')
  const text = new LiveText({ clientId: 'c', epoch: 'e', version: 0, acked: 0, confirmed: 'end', pending: [] })
  insert(text, 0, 'sent ')
  text.sendable(BATCH)
  const words = 'typed while the line was away '.repeat(100)
  for (const [nth, letter] of [...words].entries()) insert(text, 5 + nth, letter)
  const { pending } = text.unsent()
  expect(pending.length).toBeLessThan(5)
  expect(pending[0]).toEqual([[0, 'sent '], 3])
  const others = Array.from({ length: 1000 }, (_, nth) => ({
    client: 'other',
    changes: ChangeSet.of({ from: 3 + nth, insert: 'x' }, 3 + nth).toJSON() as never,
  }))
  text.receive({ version: 0, updates: others })
  expect(text.text.toString()).toBe(`sent ${words}end${'x'.repeat(1000)}`)
})

/** A page that continues from a copy whose last update was sent with more words, and that is typed in again. */
function afterJoin() {
  const before = new LiveText({ clientId: 'c', epoch: 'e', version: 0, acked: 0, confirmed: '', pending: [] })
  insert(before, 0, 'one')
  const copy = before.unsent()
  insert(before, 3, ' two')
  const sent = before.sendable(BATCH)
  const text = new LiveText(copy)
  insert(text, 3, ' three')
  return { text, sent }
}

test('words that join others after the copy was made are neither lost nor sent twice after a crash', () => {
  verifies('ui.unsent-kept')
  const { text, sent } = afterJoin()
  expect(sent.updates).toHaveLength(1)
  text.replace({ epoch: 'next', version: 0, accepted: 1, text: 'one two' })
  for (const word of ['one', ' two', ' three']) expect(text.text.toString().split(word)).toHaveLength(2)
})

test('a copy that lacks the end of its last update is not taken for it when the missed updates come after a crash', () => {
  verifies('ui.unsent-kept')
  const { text, sent } = afterJoin()
  const updates = sent.updates.map((changes) => ({ client: 'c', changes: changes as never }))
  // The page then loads the whole text.
  expect(() => text.receive({ version: 0, updates })).toThrow(RangeError)
  text.replace({ epoch: 'e', version: 1, accepted: 1, text: 'one two' })
  for (const word of ['one', ' two', ' three']) expect(text.text.toString().split(word)).toHaveLength(2)
  expect(text.unsent().pending).toHaveLength(1)
})

test('a large paste is not joined with another one: a push could not hold both', () => {
  const text = new LiveText({ clientId: 'c', epoch: 'e', version: 0, acked: 0, confirmed: '', pending: [] })
  for (let nth = 0; nth < 6; nth++) insert(text, 0, 'x'.repeat(60_000))
  expect(text.unsent().pending).toHaveLength(6)
})
