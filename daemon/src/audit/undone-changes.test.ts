import { expect, test } from 'vitest'
import { undoneByAgent, UndoneCounts, type UndoneChanges } from './undone-changes.ts'

const person = { id: 'usr_a', name: 'Ada' }
const agent = { id: 'mcp_client', name: 'Archivist', person, integration: 'local' }
const undone = (...revisions: UndoneChanges['revisions']): UndoneChanges => ({
  client: 'Archivist',
  person: 'usr_a',
  integration: 'local',
  revisions,
})

test('the changes of agents are found, those of people are left out', () => {
  const rev = (letter: string) => letter.repeat(40)
  const steps = [
    { rev: rev('a'), changes: 2, by: [agent] },
    { rev: rev('b'), changes: 1, by: [person] },
    { rev: rev('c'), changes: 1, by: [agent, { id: 'mcp_client', name: 'Other' }, agent] },
    { rev: rev('d'), changes: 1, by: [] },
  ]
  const short = (letter: string) => letter.repeat(16)
  expect(undoneByAgent(steps)).toEqual([
    undone([short('a'), 2], [short('c'), 1]),
    { client: 'Other', revisions: [[short('c'), 1]] },
  ])
})

test('two registrations of one program are told apart', () => {
  const twin = { ...agent, registration: 'c2' }
  const steps = [{ rev: 'a'.repeat(40), changes: 2, by: [{ ...agent, registration: 'c1' }, twin, agent] }]
  const found = undoneByAgent(steps)
  expect(found.map(({ registration }) => registration)).toEqual(['c1', 'c2', undefined])
  const counts = new UndoneCounts()
  counts.add('a.md', found)
  counts.add('b.md', found.slice(1))
  expect(counts.list().map(({ registration, changes }) => [registration, changes])).toEqual([
    ['c1', 2],
    ['c2', 4],
    [undefined, 4],
  ])
})

test('a revision counts once for each note', () => {
  const counts = new UndoneCounts()
  counts.add('a.md', [undone(['r1', 2], ['r2', 1])])
  counts.add('a.md', [undone(['r2', 1], ['r3', 1])])
  counts.add('b.md', [undone(['r1', 2])])
  counts.add('a.md', [{ ...undone(['r1', 2]), person: 'usr_b' }])
  expect(counts.list().map(({ person: id, changes }) => [id, changes])).toEqual([
    ['usr_a', 6],
    ['usr_b', 2],
  ])
})
