import { describe, expect, test } from 'vitest'
import { isFinalClose, isStorageFailure, reconnectDelay } from './reconnect-delay.ts'

describe('the delay before a live link connects again', () => {
  test.each([
    ['the first attempt with something to send', { attempts: 1, hasUnsent: true, chance: 0 }, 125],
    ['each failure doubles it', { attempts: 3, hasUnsent: true, chance: 0 }, 500],
    ['chance spreads clients over half of it', { attempts: 3, hasUnsent: true, chance: 0.5 }, 750],
    ['it never exceeds 15 seconds', { attempts: 60, hasUnsent: true, chance: 0.999_999 }, 15_000],
    ['with nothing to send it is 5 seconds at least', { attempts: 1, hasUnsent: false, chance: 0.9 }, 5000],
  ])('%s', (_, facts, delay) => {
    expect(Math.round(reconnectDelay(facts))).toBe(delay)
  })

  test('a refusal of the content is final, a lost connection and a sleeping host are not', () => {
    expect([4400, 4403, 4404, 4413].every(isFinalClose)).toBe(true)
    expect([1000, 1006, 4409, 4503].some(isFinalClose)).toBe(false)
  })

  test('a full disk is a reason to show, a sleeping host is not', () => {
    expect(isStorageFailure('storage_full')).toBe(true)
    expect(['', 'stale_doc', 'daemon_offline', 'request_timeout'].some(isStorageFailure)).toBe(false)
  })
})
