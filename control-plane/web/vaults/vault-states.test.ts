import { describe, expect, it } from 'vitest'
import { canOpen, describeState, refreshAfter } from './vault-states.ts'

describe('refreshAfter', () => {
  it('looks again as soon as the most restless organization asks for', () => {
    expect(refreshAfter([{ state: 'available' }, { state: 'starting' }, { state: 'offline' }])).toBe(2000)
    expect(refreshAfter([{ state: 'available' }])).toBe(30_000)
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
