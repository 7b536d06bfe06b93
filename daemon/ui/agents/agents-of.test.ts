import { expect, test } from 'vitest'
import { agentsOf, undoOffer } from './agents-of.ts'

const change = (at: string, more: object = {}) => ({
  at: `2026-01-01T${at}:00.000Z`,
  actor: 'mcp_client',
  client: 'Archivist',
  tool: 'edit_note',
  path: 'A.md',
  outcome: 'done' as const,
  ...more,
})

test('agents stand by client and person, the latest first, each with its changes newest first', () => {
  const ben = { person: { id: 'usr_b', name: 'Ben' } }
  const work = agentsOf([change('10:00'), change('12:00', ben), change('11:00', { path: 'B.md' })])
  expect(work.map(({ name, person, notes }) => [name, person?.name, notes])).toEqual([
    ['Archivist', 'Ben', 1],
    ['Archivist', undefined, 2],
  ])
  expect(work[1]!.changes.map(({ path }) => path)).toEqual(['B.md', 'A.md'])
})

test('people, and what was not made, are left out', () => {
  expect(
    agentsOf([
      change('10:00', { outcome: 'failed' }),
      change('10:00', { tool: 'revert', path: '' }),
      change('10:00', { actor: 'local', client: undefined }),
    ]),
  ).toEqual([])
})

const now = new Date('2026-01-02T12:00:00.000Z')
const [recent] = agentsOf([change('13:00'), change('14:00')])
const [old] = agentsOf([change('10:00'), change('14:00')])

test.each([
  ['all that an agent did is undone at once', recent!, { isWhole: true }, 'Undo all', '2026-01-01T12:59:59.999Z'],
  ['older work is left', old!, { isWhole: true }, 'Undo the last day', '2026-01-01T12:00:00.000Z'],
  [
    'the last day is whole although the list is not',
    old!,
    { isWhole: false },
    'Undo the last day',
    '2026-01-01T12:00:00.000Z',
  ],
])('%s', (_, work, { isWhole }, name, since) => {
  expect(undoOffer(work, { isWhole, now })).toEqual({ name, since })
})

test('a list that was cut off offers no undo of all: there may be more', () => {
  const { name, since } = undoOffer(recent!, { isWhole: false, now })
  expect(since).toBe('2026-01-01T12:59:59.999Z')
  expect(name).toBe(`Undo since ${new Date('2026-01-01T13:00:00.000Z').toLocaleString()}`)
})
