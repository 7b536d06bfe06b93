import { describe, expect, it } from 'vitest'
import type { Condition } from '../answers.ts'
import { hostedSteps, isMoving } from './hosted-steps.ts'

const condition = (type: Condition['type'], status: Condition['status']): Condition => ({
  type,
  status,
  observedGeneration: 1,
  lastTransitionTime: '2026-03-01T12:00:00Z',
  reason: 'Test',
  message: '',
})
const states = (...given: Parameters<typeof hostedSteps>) => hostedSteps(...given).map(({ state }) => state)

describe('hostedSteps', () => {
  it('begins with acceptance under way and ends with everything done', () => {
    expect(states({ observedState: 'pending', conditions: [] })).toEqual(['now', 'waiting', 'waiting', 'waiting'])
    expect(states({ observedState: 'running', conditions: [] })).toEqual(['done', 'done', 'done', 'done'])
  })

  it('stands at the storage while it is provisioned', () => {
    expect(states({ observedState: 'provisioning', conditions: [] })).toEqual(['done', 'now', 'waiting', 'waiting'])
  })

  it('marks the step that failed: the storage without a healthy volume, else the start', () => {
    expect(states({ observedState: 'failed', conditions: [condition('StorageHealthy', 'False')] })[1]).toBe('failed')
    expect(states({ observedState: 'failed', conditions: [condition('StorageHealthy', 'True')] })).toEqual([
      'done',
      'done',
      'failed',
      'waiting',
    ])
  })
})

describe('isMoving', () => {
  it('rests when running or sleeping as wanted, and when failed', () => {
    expect(isMoving({ observedState: 'running', desiredState: 'running' })).toBe(false)
    expect(isMoving({ observedState: 'sleeping', desiredState: 'sleeping' })).toBe(false)
    expect(isMoving({ observedState: 'failed', desiredState: 'running' })).toBe(false)
  })

  it('moves while it wakes', () => {
    expect(isMoving({ observedState: 'sleeping', desiredState: 'running' })).toBe(true)
    expect(isMoving({ observedState: 'starting', desiredState: 'running' })).toBe(true)
  })
})
