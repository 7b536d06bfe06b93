import { expect, test } from 'vitest'
import { sumByAgent, sumByKey, undoneOfPerson as undoneOf } from './count-undone.ts'

const site = 'https://agent.example'
const address = `${site}/callback`
const agents = [
  { client: 'Archivist', person: 'usr_a', integration: 'local', changes: 2 },
  { client: 'Archivist', person: 'usr_b', integration: 'local', changes: 3 },
  { client: 'Scribe', person: 'usr_a', integration: address, changes: 5 },
  { client: 'Scribe', person: 'usr_a', integration: site, changes: 7 },
]

test('the vaults of an organization are counted together', () => {
  const twice = sumByAgent([...agents, ...agents])
  expect(twice.map(({ changes }) => changes)).toEqual([4, 6, 10, 14])
})

test('an integration counts the changes of all members; one for a whole site those of its addresses too', () => {
  const sums = { local: 5, [address]: 5, [site]: 12 }
  expect(Object.fromEntries(sumByKey(agents))).toEqual(sums)
})

test('a connected program counts the changes that it made for one person, whatever it was approved as', () => {
  const undoneOfPerson = (all: typeof agents | undefined, by: { client: string; userId: string; key: string }) =>
    undoneOf(all, { ...by, registration: 'c1' })
  expect(undoneOfPerson(agents, { client: 'Archivist', userId: 'usr_a', key: 'local' })).toBe(2)
  expect(undoneOfPerson(agents, { client: 'Scribe', userId: 'usr_a', key: address })).toBe(12)
  expect(undoneOfPerson(agents, { client: 'Scribe', userId: 'usr_b', key: address })).toBe(0)
  expect(undoneOfPerson(undefined, { client: 'Scribe', userId: 'usr_b', key: address })).toBeNull()
})

test('of two registrations of one program, each counts its own changes and those from before registrations were recorded', () => {
  const who = { client: 'Archivist', person: 'usr_a', integration: 'local' }
  const recorded = sumByAgent([
    { ...who, changes: 1 },
    { ...who, registration: 'c1', changes: 2 },
    { ...who, registration: 'c2', changes: 4 },
    { ...who, registration: 'c2', changes: 8 },
  ])
  const of = (registration: string) =>
    undoneOf(recorded, { client: 'Archivist', userId: 'usr_a', key: 'local', registration })
  expect([of('c1'), of('c2'), of('c3')]).toEqual([3, 13, 1])
  expect(sumByKey(recorded).get('local')).toBe(15)
})
