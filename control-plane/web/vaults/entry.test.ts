import { describe, expect, it } from 'vitest'
import { ApiFailure } from '../api-failure.ts'
import { afterRefusal, PATIENCE_SECONDS } from './entry.ts'

const refusal = (code: string, retryAfterSeconds?: number) =>
  new ApiFailure({ code, message: code }, 503, retryAfterSeconds)

describe('afterRefusal', () => {
  it('waits as long as a waking daemon asks for, within reason', () => {
    expect(afterRefusal(refusal('daemon_waking', 5), 0)).toEqual({ step: 'wait', seconds: 5, because: 'waking' })
    expect(afterRefusal(refusal('daemon_waking', 0), 0)).toEqual({ step: 'wait', seconds: 1, because: 'waking' })
    expect(afterRefusal(refusal('relay_overloaded', 900), 0)).toEqual({ step: 'wait', seconds: 30, because: 'busy' })
    expect(afterRefusal(refusal('daemon_waking'), 0)).toMatchObject({ seconds: 2 })
  })

  it('gives up when the patience is used up', () => {
    expect(afterRefusal(refusal('daemon_waking', 5), PATIENCE_SECONDS)).toEqual({ step: 'give-up' })
  })

  it.each(['daemon_offline', 'forbidden', 'not_found', 'network', 'toString'])('gives up at once on %s', (code) => {
    expect(afterRefusal(refusal(code), 0)).toEqual({ step: 'give-up' })
  })
})
