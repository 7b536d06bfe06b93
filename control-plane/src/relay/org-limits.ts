import type { Clock } from '@svc/shared/kit/clock.ts'
import { fail } from '@svc/shared/wire/errors.ts'

/** What one organization may take of a replica, so that others keep their share. */
export type OrgLimitSettings = {
  /** Requests and WebSockets at a time. */
  concurrent: number
  /** Bytes in both directions together that flow in for ever. */
  bytesPerSecond: number
  /** Bytes that may be taken at once after a quiet time. */
  burstBytes: number
}

export const defaultOrgLimits: OrgLimitSettings = {
  concurrent: 512,
  bytesPerSecond: 64 * 1024 * 1024,
  burstBytes: 2 * 1024 * 1024 * 1024,
}

type Use = { open: number; spent: number; at: number }
/** One request counted in. `count` adds its bytes, `leave` counts it out. */
export type Admission = { count(bytes: number): void; leave(): void }

/** Counts what each organization uses. Whoever is over the limit gets no new request until it has drained. */
export function createOrgLimits(clock: Pick<Clock, 'monotonic'>, settings: OrgLimitSettings = defaultOrgLimits) {
  const uses = new Map<string, Use>()

  const drain = (use: Use) => {
    const now = clock.monotonic()
    use.spent = Math.max(0, use.spent - ((now - use.at) / 1000) * settings.bytesPerSecond)
    use.at = now
  }

  return {
    /** Counts a request in, or fails with `too_many_requests`. */
    enter: (orgId: string): Admission => {
      const use = uses.get(orgId) ?? { open: 0, spent: 0, at: clock.monotonic() }
      drain(use)
      if (use.open >= settings.concurrent) throw fail('too_many_requests', { limit: 'concurrent' })
      if (use.spent > settings.burstBytes) {
        const seconds = Math.ceil((use.spent - settings.burstBytes) / settings.bytesPerSecond)
        throw fail('too_many_requests', { limit: 'bytes' }, { retryAfterSeconds: Math.max(1, seconds) })
      }
      use.open += 1
      uses.set(orgId, use)
      return {
        count: (bytes) => void (use.spent += bytes),
        leave: () => {
          use.open -= 1
          drain(use)
          if (use.open === 0 && use.spent === 0) uses.delete(orgId)
        },
      }
    },
  }
}

export type OrgLimits = ReturnType<typeof createOrgLimits>
