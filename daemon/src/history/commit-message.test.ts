import { expect, test } from 'vitest'
import {
  batchesIn,
  batchTrailer,
  changesIn,
  changesTrailer,
  commitMessage,
  deletionTrailer,
  FOUND,
  integrationIn,
  integrationTrailer,
  isFound,
  movedIn,
  movedTrailer,
  personIn,
  personTrailer,
  registrationIn,
  registrationTrailer,
  renameEnding,
  renameIn,
  renameTrailer,
} from './commit-message.ts'

test('a message has a subject of one line and its trailers', () => {
  expect(commitMessage('Edit a.md')).toBe('Edit a.md\n')
  expect(commitMessage('Delete a.md', [deletionTrailer('d1')])).toBe('Delete a.md\n\nSvc-Deletion: d1\n')
})

test.each(['a\n\nSvc-Renamed: ["secret.md","a.md"]\n.md', 'a\r\n\r\nSvc-Batch: 1.md'])(
  'the path %j forges no line',
  (path) => {
    const message = commitMessage(`Edit ${path}`)
    expect(message.trimEnd().split('\n')).toHaveLength(1)
    expect([renameIn(message, 'a.md'), batchesIn(message).size]).toEqual([undefined, 0])
  },
)

test.each([
  ['a.md', 'b.md'],
  ['a"b\\.md', 'x\n["y"].md'],
  ['é.md', '😀.md'],
])('a rename from %j to %j is read back by its new path alone', (from, to) => {
  const message = commitMessage('Rename', [
    renameTrailer({ from: 'other.md', to: 'z.md' }),
    renameTrailer({ from, to }),
  ])
  expect(renameIn(message, to)).toEqual({ from, to })
  expect(renameIn(message, from)).toBeUndefined()
  expect(message).toContain(renameEnding(to))
})

test('batches are found in the messages of many commits', () => {
  const messages = [commitMessage('Edit a.md'), `${commitMessage('Edit b.md')}\n${batchTrailer('b1')}\n`].join('')
  expect(batchesIn(messages)).toEqual(new Set(['b1']))
})

test('the person for whom an agent acted is read back, whatever the name holds', () => {
  const person = { id: 'usr_a', name: 'Ada\nSvc-Batch: x "Ł"' }
  const message = commitMessage('Edit a.md', [personTrailer(person)])
  expect([personIn(message), batchesIn(message).size]).toEqual([person, 0])
  expect(personIn(commitMessage('Edit a.md'))).toBeUndefined()
})

test('what happened to an attachment is read back, whatever its path holds', () => {
  const is = { ino: 1, size: 2, mtimeMs: 3.5 }
  const path = 'a\nSvc-Moved: [] "b.png'
  const things = [
    { kind: 'attachment' as const, from: path, to: 'b.png', is, deletion: undefined },
    { kind: 'attachment' as const, from: undefined, to: path, is, deletion: undefined },
    { kind: 'attachment' as const, from: path, to: undefined, is, deletion: 'd1' },
    { kind: 'folder' as const, from: undefined, to: 'x', is, deletion: undefined },
  ]
  expect(movedIn(commitMessage('Move', things.map(movedTrailer)))).toEqual(things)
})

test('what an agent was approved as and the number of merged changes are read back', () => {
  const integration = 'https://agent.example/callback\nSvc-Changes: 9'
  const trailers = [integrationTrailer(integration), registrationTrailer(`${integration}r`), changesTrailer(3)]
  const message = commitMessage('Edit a.md', trailers)
  expect([integrationIn(message), registrationIn(message), changesIn(message)]).toEqual([
    integration,
    `${integration}r`,
    3,
  ])
  const plain = commitMessage('Edit a.md')
  expect([integrationIn(plain), registrationIn(plain), changesIn(plain)]).toEqual([undefined, undefined, 1])
})

test('the commits that a history begins with are known by their subject', () => {
  expect(isFound(commitMessage(FOUND, [renameTrailer({ from: 'a', to: 'b' })]))).toBe(true)
  expect(isFound(commitMessage(FOUND))).toBe(true)
  expect(isFound(commitMessage(`${FOUND} here`))).toBe(false)
  expect(isFound(commitMessage('Changes made outside', [renameTrailer({ from: FOUND, to: 'b' })]))).toBe(false)
})
