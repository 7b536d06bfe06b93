import { describe, expect, test } from 'vitest'
import { InventoryQuery } from '@svc/shared/wire/admin.api.ts'
import { someDaemon } from '../../../test/support/managed-daemon-specs.ts'
import type { InventoryRow } from './inventory.repository.ts'
import { filterInventory, joinInventory, pageOf, positionOf, withEvents } from './list-inventory.ts'

const orgId = (letter: string) => `org_${letter.repeat(24)}`
const row = (letter: string, slug: string, changes: Partial<InventoryRow> = {}): InventoryRow => ({
  orgId: orgId(letter),
  slug,
  name: slug.toUpperCase(),
  entitlement: null,
  claim: null,
  problem: null,
  ...changes,
})
const paid = { entitlement: { kind: 'paid', grantedAt: new Date('2026-06-01T12:00:00Z') } } as const
const rows = [row('b', 'beta', paid), row('a', 'alpha')]
const daemons = [
  someDaemon({ orgId: orgId('b'), desiredState: 'sleeping' }),
  someDaemon({ orgId: orgId('c'), orgSlug: 'gone' }),
]
const items = joinInventory(rows, daemons)
const slugs = (found: { orgSlug: string }[]) => found.map(({ orgSlug }) => orgSlug)

test('rows and resources are joined by organization, in the order of slugs', () => {
  expect(slugs(items)).toEqual(['alpha', 'beta', 'gone'])
  expect(items.map(({ daemon }) => daemon?.desiredState)).toEqual([undefined, 'sleeping', 'running'])
})

test('a resource without an organization is listed with its own slug and no right', () => {
  expect(items[2]).toMatchObject({ orgId: orgId('c'), orgName: 'gone', entitlement: null })
})

describe('the filter', () => {
  test.each<[string, object, string[]]>([
    ['by part of a slug', { q: 'LPH' }, ['alpha']],
    ['by part of a name', { q: 'BETA' }, ['beta']],
    ['by part of an id', { q: 'cccc' }, ['gone']],
    ['by desired state', { desiredState: 'sleeping' }, ['beta']],
    ['by the right to a daemon', { entitlement: 'paid' }, ['beta']],
    ['by the lack of a right', { entitlement: 'none' }, ['alpha', 'gone']],
    ['by two things at once', { entitlement: 'none', desiredState: 'running' }, ['gone']],
    ['by nothing', {}, ['alpha', 'beta', 'gone']],
  ])('%s', (_name, query, expected) =>
    expect(slugs(filterInventory(items, InventoryQuery.parse(query)))).toEqual(expected),
  )
})

describe('a page', () => {
  test('says that there is more', () => {
    const { page, more } = pageOf(items, 2, undefined)
    expect([slugs(page), more]).toEqual([['alpha', 'beta'], true])
  })

  test('goes on after a position, also one that is no longer listed', () => {
    expect(slugs(pageOf(items, 2, ['beta', orgId('b')]).page)).toEqual(['gone'])
    expect(slugs(pageOf(items, 2, ['aa', '']).page)).toEqual(['alpha', 'beta'])
  })

  test('tells two organizations of one slug apart by id', () => {
    const twins = joinInventory([row('z', 'same'), row('y', 'same')], [])
    expect(twins.map(positionOf)).toEqual([
      ['same', orgId('y')],
      ['same', orgId('z')],
    ])
    expect(pageOf(twins, 9, ['same', orgId('y')]).page).toHaveLength(1)
  })
})

test('each item is given its own newest event, or none', () => {
  const event = { kind: 'sleep_requested', at: '2026-06-01T12:00:00.000Z' } as const
  expect(withEvents(items, new Map([[orgId('b'), event]])).map(({ lastEvent }) => lastEvent)).toEqual([
    null,
    event,
    null,
  ])
})
