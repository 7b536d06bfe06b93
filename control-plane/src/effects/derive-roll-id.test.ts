import { describe, expect, test } from 'vitest'
import { initialStatus, type ManagedDaemon } from '@svc/shared/wire/managed-daemon.ts'
import { someDaemon } from '../../../test/support/managed-daemon-specs.ts'
import { deriveRollId, findRollId } from './derive-roll-id.ts'

const orgId = 'org_aaaaaaaaaaaaaaaaaaaaaaaa'
const request = {
  orgId,
  image: 'registry.example.net/svcd:1.2.3',
  actor: { kind: 'token', id: 'token:0a1b2c3d' },
  reason: 'release',
} as const
const idOf = (daemon: ManagedDaemon | undefined, changes: Partial<typeof request> = {}) =>
  deriveRollId({ ...request, ...changes, daemon })

const before = someDaemon({ orgId }, { generation: 4 })
const first = idOf(before)
const operation = { id: first, action: 'image_roll', epoch: 3 } as const
const rolled = someDaemon({ orgId, operation }, { generation: 5 })

test('the id names the organization and the generation, and is a valid operationId', () => {
  expect(first).toMatch(/^roll-a{24}-[0-9a-f]{16}-4$/)
  expect(first).toMatch(/^[A-Za-z0-9._:-]{8,128}$/)
})

test('a repeat gets the same id although the roll itself has raised the generation', () => {
  expect(idOf(rolled)).toBe(first)
})

test('a repeat after the roll failed gets a new id', () => {
  const status = { ...initialStatus, operation: { id: first, outcome: 'failed' } } as const
  expect(idOf({ ...rolled, status })).not.toBe(first)
})

test('a repeat after another operation gets a new id', () => {
  const other = { id: 'another-operation', action: 'storage_grow', epoch: 4 } as const
  expect(idOf(someDaemon({ orgId, operation: other }, { generation: 6 }))).not.toBe(first)
})

test.each([
  ['image', { image: 'registry.example.net/svcd:1.2.4' }],
  ['caller', { actor: { kind: 'token', id: 'token:ffffffff' } }],
  ['reason', { reason: 'rollback' }],
])('another %s is another operation', (_name, changes) => {
  expect(idOf(rolled, changes as Partial<typeof request>)).not.toBe(first)
})

describe('rolls that failed before they changed the spec', () => {
  const find = (failed: string[], daemon: ManagedDaemon) =>
    findRollId({ ...request, daemon }, async (id) => (failed.includes(id) ? { state: 'failed' } : undefined))

  test('their repeat gets the next free id', async () => {
    expect(await find([], before)).toBe(first)
    expect(await find([first], before)).toBe(`${first}.1`)
    expect(await find([first, `${first}.1`], before)).toBe(`${first}.2`)
  })

  test('the id that the spec carries stays', async () => {
    expect(await find([first], rolled)).toBe(first)
    const third = { ...operation, id: `${first}.2` }
    expect(await find([`${first}.2`], someDaemon({ orgId, operation: third }, { generation: 5 }))).toBe(`${first}.2`)
  })

  test('an id that is under way stays', async () => {
    const records = async (id: string) => ({ state: id === first ? 'failed' : 'executing' })
    expect(await findRollId({ ...request, daemon: before }, records)).toBe(`${first}.1`)
  })
})

test('a daemon that does not exist yet counts as generation 0', () => expect(idOf(undefined)).toMatch(/-0$/))
