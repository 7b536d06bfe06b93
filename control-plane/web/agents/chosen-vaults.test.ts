import { expect, test } from 'vitest'
import { boxOf, chosenVaults, connectWords, keepListed } from './chosen-vaults.ts'

const choices = [
  { orgId: 'org_a', orgName: 'A', listed: true, whole: false, vaults: [{ id: 'one', displayName: 'One' }, { id: 'two', displayName: 'Two' }] }, // prettier-ignore
  { orgId: 'org_b', orgName: 'B', listed: false, whole: true, vaults: [] },
]
const many = { ...choices[0]!, orgId: 'org_c', whole: true }

test.each<[string, [string, string | null][], number]>([
  ['nothing', [], 0],
  ['one vault', [['org_a', 'one']], 1],
  ['a whole organization whose daemon is away', [['org_b', null]], 1],
  ['both', [['org_a', 'two'], ['org_b', null]], 2], // prettier-ignore
  ['a whole organization that is listed vault by vault', [['org_a', null]], 0],
  ['a vault of an organization that cannot be listed', [['org_b', 'one']], 0],
])('%s', (_sentence, ticked, count) => {
  expect(chosenVaults(choices, new Set(ticked.map((box) => boxOf(...box))))).toHaveLength(count)
})

test('an organization of many vaults is granted as a whole or vault by vault', () => {
  const granted = (...vaults: (string | null)[]) =>
    chosenVaults([many], new Set(vaults.map((vaultId) => boxOf(many.orgId, vaultId))))
  expect(granted('one', null)).toEqual([{ orgId: many.orgId, vaultId: null }])
  expect(granted('one', 'two')).toHaveLength(2)
})

test('the button counts vaults where they can be counted', () => {
  expect(connectWords([{ orgId: 'org_a', vaultId: 'one' }])).toBe('Connect to 1 vault')
  expect(connectWords([])).toBe('Connect to 0 vaults')
  expect(connectWords([{ orgId: 'org_b', vaultId: null }])).toBe('Connect')
})

test('an organization that was listed stays listed while its daemon does not respond', () => {
  const away = choices.map((choice) => ({ ...choice, listed: false, whole: true, vaults: [] }))
  expect(keepListed(choices, away)).toEqual(choices)
  expect(keepListed(away, choices)).toEqual(choices)
  expect(keepListed(undefined, away)).toEqual(away)
  expect(keepListed(choices, choices.slice(1))).toEqual(choices.slice(1))
})
