import { fail } from '@svc/shared/wire/errors.ts'

/**
 * Calls of one organization that may be in flight. A busy organization with a daemon that responds has a few; one whose
 * daemon does not respond would add more until each call times out.
 */
const MAX_CALLS = 256
/** Bytes of requests and unfinished responses that these calls may hold together. */
const MAX_BYTES = 32 * 1024 * 1024

/** What one call holds. */
export type ExchangeShare = {
  /** Counts more bytes, or fails with `relay_overloaded`. */
  hold(bytes: number): void
  /** Gives everything back. */
  leave(): void
}

type Use = { calls: number; bytes: number }

/**
 * What the calls to the daemon of each organization may hold on this replica. Hostile members and a hostile daemon of
 * one organization could otherwise use up the memory of all.
 */
export function createExchangeBudget({ maxCalls = MAX_CALLS, maxBytes = MAX_BYTES } = {}) {
  const uses = new Map<string, Use>()

  return {
    /** Admits a call, or fails with `relay_overloaded`. */
    enter: (orgId: string): ExchangeShare => {
      const use = uses.get(orgId) ?? { calls: 0, bytes: 0 }
      if (use.calls >= maxCalls) throw overloaded()
      uses.set(orgId, use)
      use.calls += 1
      let held = 0
      return {
        hold: (bytes) => {
          if (use.bytes + bytes > maxBytes) throw overloaded()
          use.bytes += bytes
          held += bytes
        },
        leave: () => {
          use.calls -= 1
          use.bytes -= held
          if (use.calls === 0) uses.delete(orgId)
        },
      }
    },
  }
}

export type ExchangeBudget = ReturnType<typeof createExchangeBudget>

function overloaded(): Error {
  return fail('relay_overloaded', undefined, { retryAfterSeconds: 1 })
}
