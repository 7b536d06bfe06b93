import { fail } from '@svc/shared/wire/errors.ts'

/**
 * Calls of one organization that may be in flight. A busy organization with a daemon that responds has a few; one whose
 * daemon does not respond would add more until each call times out.
 */
const MAX_CALLS = 256
/** Bytes of requests and unfinished responses that these calls may hold together. */
const MAX_BYTES = 32 * 1024 * 1024
/** The part of both that agents may use. The rest is for entries, lists of vaults and the platform's own work. */
const AGENTS_PART = 3 / 4

/** Who makes a call: the person (or the platform's own task) that it counts for, and whether it comes from an agent. */
export type Caller = { name: string; by: 'agent' | 'platform' }

/** What one call holds. */
export type ExchangeShare = {
  /** Counts more bytes; false, and counts nothing, where there is no room for them. */
  hold(bytes: number): boolean
  /** Gives everything back. */
  leave(): void
}

type Use = { calls: number; bytes: number }
type OrganizationUse = Use & { callers: Map<string, Use> }

/**
 * What the calls to the daemon of each organization may hold on this replica. Hostile members and a hostile daemon of
 * one organization could otherwise use up the memory of all.
 *
 * Nobody holds more than is left for all others, so somebody who holds nothing finds room: one person alone gets half,
 * two get a third each. The agents of a person count as that person.
 */
export function createExchangeBudget({ maxCalls = MAX_CALLS, maxBytes = MAX_BYTES } = {}) {
  const organizations = new Map<string, OrganizationUse>()

  return {
    /** Admits a call, or fails with `relay_overloaded`. */
    enter: (orgId: string, { name, by }: Caller): ExchangeShare => {
      const part = by === 'agent' ? AGENTS_PART : 1
      const all = organizations.get(orgId) ?? { calls: 0, bytes: 0, callers: new Map<string, Use>() }
      const own = all.callers.get(name) ?? { calls: 0, bytes: 0 }
      if (own.calls + 1 > maxCalls * part - all.calls) throw overloaded()
      organizations.set(orgId, all)
      all.callers.set(name, own)
      all.calls += 1
      own.calls += 1
      let held = 0
      return {
        hold: (bytes) => {
          if (own.bytes + bytes > maxBytes * part - all.bytes) return false
          all.bytes += bytes
          own.bytes += bytes
          held += bytes
          return true
        },
        leave: () => {
          all.calls -= 1
          all.bytes -= held
          own.calls -= 1
          own.bytes -= held
          if (own.calls === 0) all.callers.delete(name)
          if (all.calls === 0) organizations.delete(orgId)
        },
      }
    },
  }
}

export type ExchangeBudget = ReturnType<typeof createExchangeBudget>

/** The failure of a call that was not sent. */
export function overloaded(): Error {
  return fail('relay_overloaded', undefined, { retryAfterSeconds: 1 })
}
