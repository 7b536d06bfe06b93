import { ChangeSet } from '@codemirror/state'
import { liveLimits } from '@svc/shared/wire/daemon/live-messages.ts'
import { readPush } from '@svc/shared/wire/daemon/read-client-message.ts'
import { expect, test } from 'vitest'
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
