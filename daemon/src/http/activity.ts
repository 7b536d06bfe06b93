import { randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Clock } from '@svc/shared/kit/clock.ts'
import { whenClosed } from '@svc/shared/kit/when-closed.ts'
import type { Activity as ActivityReport } from '@svc/shared/wire/daemon/daemon-activity.ts'

/** What keeps a daemon awake: requests in progress, and when the last one ended. */
export type Activity = {
  /** A request starts; call the returned function when it ends. */
  begin(): () => void
  report(): ActivityReport
  /** Calls `listener` at each further request. */
  onBegin(listener: () => void): void
}

/**
 * Counts activity since the start of the process. The sequence contains a random part, so that a restart changes it.
 */
export function createActivity(clock: Pick<Clock, 'monotonic'>): Activity {
  const life = randomBytes(6).toString('hex')
  let count = 0
  let inProgress = 0
  let lastAt = clock.monotonic()
  let begun = () => {}

  return {
    begin() {
      count += 1
      inProgress += 1
      begun()
      lastAt = clock.monotonic()
      let isOpen = true
      return () => {
        if (!isOpen) return
        isOpen = false
        inProgress -= 1
        lastAt = clock.monotonic()
      }
    },
    report: () => ({
      sequence: `${life}-${count}`,
      inProgress,
      idleMs: inProgress > 0 ? 0 : Math.floor(clock.monotonic() - lastAt),
    }),
    onBegin: (listener) => void (begun = listener),
  }
}

/**
 * Counts every request to a later route as activity until its response is closed and its handler is done: a long
 * transfer counts as long as it takes, and so does work whose client has left, which may still write. Routes marked
 * `quiet` and the platform's own calls do not count, otherwise a forgotten tab or the platform itself would keep a
 * daemon awake forever.
 */
export function countActivity(app: FastifyInstance, activity: Activity): void {
  const counted = new WeakMap<FastifyRequest, () => () => void>()

  app.addHook('onRequest', async (request, reply) => {
    if (isQuiet(request)) return
    const begin = inOne(activity)
    counted.set(request, begin)
    // The client may have left while an earlier hook was checking who it is.
    whenClosed(reply.raw, begin())
  })

  app.addHook('onRoute', (route) => {
    const { handler } = route
    route.handler = function (request, reply) {
      const finish = counted.get(request)?.()
      if (finish === undefined) return handler.call(this, request, reply)
      try {
        const answer = handler.call(this, request, reply)
        Promise.resolve(answer).then(finish, finish)
        return answer
      } catch (error) {
        finish()
        throw error
      }
    }
  })
}

/** Parts of one request, as one activity: it begins with the first of them and ends once none is left. */
function inOne(activity: Activity): () => () => void {
  let parts = 0
  let end = () => {}
  return () => {
    if (parts === 0) end = activity.begin()
    parts += 1
    return () => {
      parts -= 1
      if (parts === 0) end()
    }
  }
}

function isQuiet({ caller, routeOptions }: FastifyRequest): boolean {
  if (caller.kind === 'service') return caller.claims.scope !== 'vaults:create'
  return routeOptions.config.quiet === true
}
