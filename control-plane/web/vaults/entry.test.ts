import { describe, expect, it } from 'vitest'
import { ApiFailure } from '../api-failure.ts'
import { afterRefusal, PATIENCE_SECONDS } from './entry.ts'
import { verifies } from '../../../test/requirements.ts'

const refusal = (code: string, retryAfterSeconds?: number) =>
  new ApiFailure({ code, message: code }, 503, retryAfterSeconds)

const fresh = { waitedSeconds: 0, waking: false }

describe('afterRefusal', () => {
  it('waits as long as a waking daemon asks for, within reason', () => {
    verifies('web.wake')
    expect(afterRefusal(refusal('daemon_waking', 5), fresh)).toEqual({ step: 'wait', seconds: 5, because: 'waking' })
    expect(afterRefusal(refusal('daemon_waking', 0), fresh)).toEqual({ step: 'wait', seconds: 1, because: 'waking' })
    expect(afterRefusal(refusal('relay_overloaded', 900), fresh)).toEqual({
      step: 'wait',
      seconds: 30,
      because: 'busy',
    })
    expect(afterRefusal(refusal('store_unavailable', 5), fresh)).toEqual({ step: 'wait', seconds: 5, because: 'busy' })
    expect(afterRefusal(refusal('daemon_waking'), fresh)).toMatchObject({ seconds: 2 })
  })

  it('goes on waiting for a daemon that woke and is not connected yet', () => {
    const step = afterRefusal(refusal('daemon_offline'), { waitedSeconds: 4, waking: true })
    expect(step).toMatchObject({ step: 'wait', because: 'waking' })
  })

  it('gives up when the patience is used up', () => {
    expect(afterRefusal(refusal('daemon_waking', 5), { waitedSeconds: PATIENCE_SECONDS, waking: true })).toEqual({
      step: 'give-up',
    })
  })

  it.each(['daemon_offline', 'forbidden', 'not_found', 'network', 'toString'])('gives up at once on %s', (code) => {
    expect(afterRefusal(refusal(code), fresh)).toEqual({ step: 'give-up' })
  })
})
