import { describe, expect, it } from 'vitest'
import { canOpen, describeState, refreshAfter } from './vault-states.ts'

const someVault = { id: 'v1', slug: 'notes', displayName: 'Notes' }

describe('refreshAfter', () => {
  it('looks again as soon as the most restless organization asks for', () => {
    const vaults = [someVault]
    const states = ['available', 'starting', 'offline'] as const
    expect(refreshAfter(states.map((state) => ({ state, vaults })))).toBe(2000)
    expect(refreshAfter([{ state: 'available', vaults }])).toBe(30_000)
    expect(refreshAfter([{ state: 'available', vaults: [] }])).toBe(2000)
    expect(refreshAfter([])).toBe(30_000)
  })
})

describe('describeState', () => {
  it('tells the owner of a daemon to start it, and everybody else that it is cared for', () => {
    expect(describeState({ state: 'offline', daemonMode: 'self_hosted' }).meaning).toMatch(/Start svcd/)
    expect(describeState({ state: 'offline', daemonMode: 'cloud_hosted' }).meaning).toMatch(/by itself/)
  })
})

describe('canOpen', () => {
  it('lets a sleeping daemon be woken, not an absent one', () => {
    expect(canOpen('sleeping')).toBe(true)
    expect(canOpen('offline')).toBe(false)
    expect(canOpen('failed')).toBe(false)
  })
})
