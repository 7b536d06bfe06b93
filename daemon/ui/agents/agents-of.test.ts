import { expect, test } from 'vitest'
import { agentsOf } from './agents-of.ts'

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
