import { glob, readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { operationActions } from '@svc/shared/wire/managed-daemon.ts'
import { eventNames, eventWords, organizationChoices, outcomeWords, platformChoices } from './audit-words.ts'

describe('the words of the audit', () => {
  it('say what an operation is and how far it came', () => {
    expect(eventWords({ event: 'operation.requested', action: 'storage_grow' })).toBe('Grow storage: requested')
    expect(eventWords({ event: 'operation.succeeded', action: 'image_roll' })).toBe('Update: succeeded')
  })

  it('say that a system admin released an operation', () => {
    expect(eventWords({ event: 'operation.recovered', action: 'restore' })).toBe(
      'Restore a backup: was released by hand',
    )
  })

  it('name every event that the control plane records', async () => {
    const sources = await Array.fromAsync(glob('control-plane/src/**/*.ts', { exclude: ['**/*.test.ts'] }), (path) =>
      readFile(path, 'utf8'),
    )
    const lines = sources.flatMap((source) => source.split('\n').filter((line) => line.includes('event: ')))
    const recorded = lines.flatMap((line) => line.match(/(?<=')\w+\.\w+(?=')/g) ?? [])
    expect(recorded).toContain('signing_keys.rotated')
    for (const event of recorded) expect(eventNames).toContain(event)
  })

  it('say who became system admin', () => {
    expect(eventWords({ event: 'system_admins.setup_claimed' })).toBe('Became the first system admin')
  })

  it('say that a rule about programs was taken back', () => {
    expect(outcomeWords('none')).toBe('Taken back')
    expect(outcomeWords('blocked')).toBe('Blocked')
  })

  it('show what a newer version writes', () => {
    expect(eventWords({ event: 'moon.landed_on' })).toBe('Moon: landed on')
    expect(eventWords({ event: 'operation.dreamt', action: 'sleep' })).toBe('Put to sleep: Dreamt')
    expect(outcomeWords('StorageFull')).toBe('StorageFull')
  })

  it('offer every operation as a filter', () => {
    const values = platformChoices.map(({ value }) => value)
    for (const action of operationActions) expect(values).toContain(action)
  })

  it('offer every kind of event as a filter', () => {
    const values = platformChoices.map(({ value }) => value)
    for (const event of eventNames) expect(values).toContain(event.split('.')[0])
    expect(new Set(values).size).toBe(values.length)
    expect(organizationChoices.map(({ value }) => value)).toContain('agents')
  })
})
