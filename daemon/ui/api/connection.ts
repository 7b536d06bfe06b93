import { asRefusal, passesByItself, secondsToRetry, type Refusal } from './refusal.ts'

/** The state of the connection to the daemon. `ended` is final: the person must enter the vault again. */
export type ConnectionState =
  { state: 'online' } | { state: 'lost'; refusal: Refusal } | { state: 'ended'; refusal: Refusal }

export type Connection = ReturnType<typeof trackConnection>

type Deps = { later: (run: () => void, seconds: number) => void; probe: () => Promise<unknown> }

/**
 * Derives the state from the outcomes of all requests. After a failed one it probes until the daemon responds again.
 */
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
    /** Records the outcome of one request, including those of the probe. */
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
