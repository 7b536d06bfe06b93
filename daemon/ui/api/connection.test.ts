import { describe, expect, it } from 'vitest'
import { trackConnection } from './connection.ts'
import { Refusal } from './refusal.ts'

const offline = new Refusal({ code: 'daemon_offline', message: '', retryAfterSeconds: 3 })

function scene(probe: () => Promise<unknown>) {
  const due: { run: () => void; seconds: number }[] = []
  const tracked = trackConnection({ later: (run, seconds) => void due.push({ run, seconds }), probe })
  return { tracked, due }
}

describe('connection', () => {
  it('is lost once a request found nobody, and probes when it was told to', () => {
    const { tracked, due } = scene(async () => undefined)
    tracked.heard(offline)
    tracked.heard(offline)
    expect(tracked.current().state).toBe('lost')
    expect(due.map(({ seconds }) => seconds)).toEqual([3])
  })

  it('probes again after a failed probe', async () => {
    const { tracked, due } = scene(() => Promise.reject(offline))
    tracked.heard(offline)
    due[0]!.run()
    await new Promise((resolve) => setImmediate(resolve))
    expect(due).toHaveLength(2)
  })

  it('is back with any answer, a refusal included', () => {
    const { tracked } = scene(async () => undefined)
    tracked.heard(offline)
    tracked.heard(new Refusal({ code: 'not_found', message: '' }))
    expect(tracked.current().state).toBe('online')
  })

  it('has ended for good when the entry has', () => {
    const { tracked } = scene(async () => undefined)
    tracked.heard(new Refusal({ code: 'unauthenticated', message: '' }))
    tracked.heard(undefined)
    expect(tracked.current().state).toBe('ended')
  })
})
