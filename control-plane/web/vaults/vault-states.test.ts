import { describe, expect, it } from 'vitest'
import type { VaultState } from '../answers.ts'
import { canOpen, describeState, refreshAfter } from './vault-states.ts'

describe('refreshAfter', () => {
  it('looks again as soon as the most restless organization asks for', () => {
    const inStates = (...states: VaultState[]) => refreshAfter(states.map((state) => ({ state })))
    expect(inStates('sleeping', 'failed', 'offline')).toBe(5000)
    expect(inStates('sleeping', 'available'), 'a vault made on its machine, and what is new in it').toBe(2000)
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
