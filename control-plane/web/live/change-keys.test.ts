import type { StateChange } from '@svc/shared/wire/events.api.ts'
import { describe, expect, it } from 'vitest'
import { keysToRefresh } from './change-keys.ts'

describe('keysToRefresh', () => {
  it('names what the change is about, and nothing of another organization', () => {
    expect(keysToRefresh([{ topic: 'keys', orgId: 'org_a' }])).toEqual([['daemon-key', 'org_a']])
  })

  it('reads the state of backups again, which is part of the state of the daemon', () => {
    expect(keysToRefresh([{ topic: 'backups', orgId: 'org_a' }])).toEqual([
      ['hosted-status', 'org_a'],
      ['admin', 'fleet'],
      ['admin', 'organization', 'org_a'],
    ])
  })

  it('reads each query once, however many changes there are', () => {
    const changes = [
      { topic: 'members', orgId: 'org_a' },
      { topic: 'members', orgId: 'org_b' },
      { topic: 'invitations', orgId: 'org_a' },
    ] as const
    expect(keysToRefresh([...changes])).toEqual([['session'], ['admin', 'organizations'], ['admin', 'people']])
  })

  it('skips what a newer server tells of', () => {
    const changes = JSON.parse('[{"topic":"moon","orgId":null},{"topic":"people","orgId":null}]') as StateChange[]
    expect(keysToRefresh(changes)).toEqual([['admin', 'people']])
  })

  it('refreshes all organizations where none is named', () => {
    expect(keysToRefresh([{ topic: 'rollouts', orgId: null }])).toContainEqual(['admin', 'rollout'])
    expect(keysToRefresh([{ topic: 'daemon', orgId: null }])).toContainEqual(['hosted-status'])
  })
})
