import { asRefusal, passesByItself, secondsToRetry, type Refusal } from './refusal.ts'

/** What we know of the way to the daemon. `ended` is final: only entering again helps. */
export type ConnectionState =
  { state: 'online' } | { state: 'lost'; refusal: Refusal } | { state: 'ended'; refusal: Refusal }

export type Connection = ReturnType<typeof trackConnection>

type Deps = { later: (run: () => void, seconds: number) => void; probe: () => Promise<unknown> }

/** Follows the outcomes of all requests; once one says that nobody is there, probes until somebody is. */
export function trackConnection({ later, probe }: Deps) {
  const listeners = new Set<() => void>()
  let current: ConnectionState = { state: 'online' }

  const become = (next: ConnectionState) => {
    current = next
    for (const listener of listeners) listener()
  }

  const probeUntilBack = (refusal: Refusal, attempt: number) =>
    later(
      () => {
        if (current.state !== 'lost') return
        probe().catch((thrown: unknown) => probeUntilBack(asRefusal(thrown), attempt + 1))
      },
      secondsToRetry(refusal, attempt),
    )

  return {
    current: () => current,
    subscribe: (listener: () => void) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    /** Takes the outcome of one request, the probe's own included. */
    heard: (outcome: Refusal | undefined) => {
      if (current.state === 'ended') return
      if (outcome?.code === 'unauthenticated') return become({ state: 'ended', refusal: outcome })

      const lost = outcome !== undefined && passesByItself(outcome) && outcome.code !== 'too_many_requests'
      if (!lost) {
        if (current.state === 'lost') become({ state: 'online' })
        return
      }
      const before = current.state
      become({ state: 'lost', refusal: outcome })
      if (before === 'online') probeUntilBack(outcome, 0)
    },
  }
}
