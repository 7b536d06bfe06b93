import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { repeat } from '@svc/shared/kit/repeat.ts'
import type { Secret } from '@svc/shared/kit/secret.ts'

/** Seals with the present secret what the previous one sealed. Counts what it resealed, and what neither opens. */
type Reseal = () => Promise<{ resealed: number; unopened: number }>

type Deps = {
  /** One of each kind of stored secret. */
  reseals: Record<string, Reseal>
  previous: Secret | undefined
  clock: Clock
  log: Log
}

/** While the secret changes, a replica that has not changed yet may seal with the previous one at any time. */
const WHILE_CHANGING_MS = 10 * 60_000
const OTHERWISE_MS = 86_400_000

/**
 * Reseals everything that AUTH_SECRET_PREVIOUS sealed, and logs when nothing needs it any more. If it is not set, only
 * looks for what cannot be opened because it was removed too early. Returns the function that stops this.
 */
export function startResealing({ reseals, previous, clock, log }: Deps): () => Promise<void> {
  const task = async (): Promise<void> => {
    const resealed: Record<string, number> = {}
    let isOpened = true
    for (const [what, reseal] of Object.entries(reseals)) {
      const count = await reseal()
      resealed[what] = count.resealed
      if (count.unopened === 0) continue
      isOpened = false
      log.warn({ what, count: count.unopened }, 'no secret opens these; set the one that sealed them as AUTH_SECRET_PREVIOUS') // prettier-ignore
    }
    if (previous !== undefined && isOpened) log.info({ resealed }, 'everything is sealed with AUTH_SECRET')
  }
  const everyMs = previous === undefined ? OTHERWISE_MS : WHILE_CHANGING_MS
  const loop = repeat({ everyMs, task, first: 'at_once', clock, log, name: 'resealing of stored secrets' })
  loop.start()
  return loop.close
}
