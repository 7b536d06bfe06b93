import type { ServerResponse } from 'node:http'
import type { Clock } from '@svc/shared/kit/clock.ts'
import { whenClosed } from '@svc/shared/kit/when-closed.ts'
import { fail } from '@svc/shared/wire/errors.ts'

/** Texts up to this size need no room. */
export const SMALL_TEXT_BYTES = 256 * 1024

// A hosted daemon has 512 MiB for everything.
const ROOM_BYTES = 96 * 1024 ** 2
// Long enough for some large texts of others, and shorter than a client waits.
const WAIT_MS = 5_000

/**
 * What planning a revert takes, since nobody knows its size before. More than half of the room, so that only one is
 * planned at a time.
 */
export const PLAN_BYTES = 56 * 1024 ** 2

/** Takes room for that many bytes of text, or waits for it. Returns a function that gives back all but some bytes. */
export type Reserve = (bytes: number) => Promise<KeepOnly>
/** Gives back what is held above that many bytes. */
type KeepOnly = (bytes: number) => void

/**
 * The memory for large texts that requests hold at the same time: bodies that arrive, past versions and differences that
 * are sent, plans of reverts. A slow client holds its text until its last byte. Who finds no room waits a little, in the
 * order of the calls, and then gets `too_many_requests`.
 */
export type TextRoom = {
  /** Room that is given back when the response is closed. */
  until(response: ServerResponse): Reserve
  /** Room that is given back when the work ends. */
  during<T>(work: (reserve: Reserve) => Promise<T>): Promise<T>
}

type Options = { clock: Pick<Clock, 'sleep'>; roomBytes?: number; waitMs?: number }

/** The room of a daemon. A text that is larger than the room may have all of it. */
export function createTextRoom({ clock, roomBytes = ROOM_BYTES, waitMs = WAIT_MS }: Options): TextRoom {
  let free = roomBytes
  const waiting = new Set<{ bytes: number; enter(): void }>()

  const admit = () => {
    for (const next of waiting) {
      if (next.bytes > free) return
      free -= next.bytes
      waiting.delete(next)
      next.enter()
    }
  }

  const take = async (bytes: number, left: AbortSignal): Promise<KeepOnly> => {
    if (bytes <= SMALL_TEXT_BYTES) return () => {}
    let held = Math.min(bytes, roomBytes)
    const entered = new AbortController()
    const own = { bytes: held, enter: () => entered.abort() }
    waiting.add(own)
    admit()
    if (waiting.has(own)) await clock.sleep(waitMs, AbortSignal.any([left, entered.signal])).catch(() => {})
    if (waiting.delete(own)) {
      admit()
      throw fail('too_many_requests', { limit: 'large_texts' })
    }
    return (kept) => {
      const given = Math.max(0, held - kept)
      held -= given
      free += given
      admit()
    }
  }

  const holder = () => {
    const left = new AbortController()
    const all: KeepOnly[] = []
    return {
      reserve: async (bytes: number): Promise<KeepOnly> => {
        const keepOnly = await take(bytes, left.signal)
        if (left.signal.aborted) keepOnly(0)
        all.push(keepOnly)
        return keepOnly
      },
      leave: () => {
        left.abort()
        for (const keepOnly of all.splice(0)) keepOnly(0)
      },
    }
  }

  return {
    until(response) {
      const { reserve, leave } = holder()
      whenClosed(response, leave)
      return reserve
    },
    async during(work) {
      const { reserve, leave } = holder()
      try {
        return await work(reserve)
      } finally {
        leave()
      }
    },
  }
}

type Arriving = { headers: { 'content-length'?: string | undefined } }

/**
 * The hook of a route whose body is parsed in memory: it is read only once there is room for it. A body that does not
 * tell its length may be as long as the route allows.
 */
export const holdBody =
  (room: TextRoom, maxBytes: number) =>
  async ({ headers }: Arriving, { raw }: { raw: ServerResponse }): Promise<void> => {
    const told = headers['content-length']
    await room.until(raw)(told === undefined ? maxBytes : Math.min(Number(told), maxBytes))
  }
