import { expect, test } from 'vitest'
import { fail } from '@svc/shared/wire/errors.ts'
import { verifies } from '../../../test/requirements.ts'
import { createListVaults, stateWithoutTunnel } from './list-vaults.ts'

const organization = (id: string, daemonMode?: 'self_hosted' | 'cloud_hosted') => ({
  id,
  slug: id,
  name: id,
  daemonMode,
})
const ben = { kind: 'person' as const, id: 'usr_ben', name: 'Ben' }
const notes = {
  id: 'notes',
  displayName: 'Notes',
  notes: 3,
  changedAt: '2026-01-01T00:00:00.000Z',
  changedBy: ben,
  news: [{ author: ben, notes: 2 }],
}
const answers: Record<string, () => Promise<{ id: string; displayName: string }[]>> = {
  there: async () => [notes],
  away: () => Promise.reject(fail('daemon_offline')),
  asleep: () => Promise.reject(fail('daemon_offline')),
  broken: () => Promise.reject(fail('daemon_timeout')),
  buggy: () => Promise.reject(new Error('a bug')),
}

test('one organization that fails does not hide the others', async () => {
  const list = createListVaults({
    listOrganizations: async () => [
      organization('there', 'self_hosted'),
      organization('away', 'self_hosted'),
      organization('asleep', 'cloud_hosted'),
      organization('broken', 'cloud_hosted'),
      organization('buggy', 'self_hosted'),
      organization('system-admins'),
    ],
    askDaemon: ({ orgId }) => answers[orgId]!(),
    findHostedState: async () => 'sleeping',
  })
  const views = await list('usr_x')
  expect(views.map(({ orgId, state }) => [orgId, state])).toEqual([
    ['there', 'available'],
    ['away', 'offline'],
    ['asleep', 'sleeping'],
    ['broken', 'failed'],
    ['buggy', 'failed'],
  ])
  expect(views[0]?.vaults).toEqual([{ ...notes, slug: 'notes' }])
})

test('a daemon that hangs is failed at the deadline, its call is aborted, and the others are there', async () => {
  verifies('cp.vaults.deadline')
  const aborted: string[] = []
  const list = createListVaults({
    listOrganizations: async () => [organization('hung', 'self_hosted'), organization('there', 'self_hosted')],
    askDaemon: ({ orgId, signal }) => {
      signal.addEventListener('abort', () => aborted.push(orgId))
      return orgId === 'hung' ? new Promise(() => {}) : answers['there']!()
    },
    findHostedState: async () => undefined,
    deadlineMs: 20,
  })
  expect((await list('usr_x')).map(({ orgId, state }) => [orgId, state])).toEqual([
    ['hung', 'failed'],
    ['there', 'available'],
  ])
  expect(aborted).toEqual(['hung'])
})

test.each([
  ['self_hosted', undefined, 'offline'],
  ['cloud_hosted', undefined, 'offline'],
  ['cloud_hosted', 'pending', 'starting'],
  ['cloud_hosted', 'failed', 'failed'],
  ['cloud_hosted', 'stopping', 'sleeping'],
  ['cloud_hosted', 'degraded', 'failed'],
  ['cloud_hosted', 'deleting', 'offline'],
  ['cloud_hosted', 'running', 'starting'],
] as const)('a %s daemon that is %s and has no tunnel is %s', (mode, observed, state) =>
  expect(stateWithoutTunnel(mode, observed)).toBe(state),
)
