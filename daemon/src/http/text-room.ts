import type { ServerResponse } from 'node:http'
import type { Clock } from '@svc/shared/kit/clock.ts'
import { whenClosed } from '@svc/shared/kit/when-closed.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { personOf, type Actor } from '../entry/actor.ts'
import { actorOf, type RequestCaller } from './request-caller.ts'

/** Texts up to this size need no room. */
export const SMALL_TEXT_BYTES = 256 * 1024

// A hosted daemon has 512 MiB for everything.
const ROOM_BYTES = 96 * 1024 ** 2
// Enough for a revert with the longest body, and what is left is enough for two such bodies.
const PERSON_BYTES = 72 * 1024 ** 2
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
 * order of the calls, and then gets `too_many_requests`. The requests of one person and of agents for that person have
 * three quarters of it at most, so that stalled ones leave room for others.
 */
export type TextRoom = {
  /** Room that is given back when the response is closed. */
  until(response: ServerResponse, caller: RequestCaller): Reserve
  /** Room that is given back when the work ends. */
  during<T>(by: Actor, work: (reserve: Reserve) => Promise<T>): Promise<T>
}

/** Who holds room, and the end of the request or of the work. */
type Holder = { person: string | undefined; left: AbortSignal }
type Waiting = { bytes: number; person: string | undefined; enter(): void }
type Options = { clock: Pick<Clock, 'sleep'>; roomBytes?: number; personBytes?: number; waitMs?: number }

/**
 * The room of a daemon. A text that is larger than the share of a person may have all that it needs, also the whole room,
 * while that person holds nothing else.
 */
export function createTextRoom(options: Options): TextRoom {
  const { clock, roomBytes = ROOM_BYTES, personBytes = PERSON_BYTES, waitMs = WAIT_MS } = options
  let free = roomBytes
  const shares = new Map<string, number>()
  const waiting = new Set<Waiting>()

  const hold = (person: string | undefined, bytes: number) => {
    free -= bytes
    if (person === undefined) return
    const held = (shares.get(person) ?? 0) + bytes
    if (held > 0) shares.set(person, held)
    else shares.delete(person)
  }

  const hasShare = ({ person, bytes }: Waiting) => {
    const held = person === undefined ? 0 : (shares.get(person) ?? 0)
    return held === 0 || held + bytes <= personBytes
  }

  const admit = () => {
    for (const next of waiting) {
      if (!hasShare(next)) continue
      if (next.bytes > free) return
      hold(next.person, next.bytes)
      waiting.delete(next)
      next.enter()
    }
  }

  const take = async (bytes: number, { person, left }: Holder): Promise<KeepOnly> => {
    if (bytes <= SMALL_TEXT_BYTES) return () => {}
    let held = Math.min(bytes, roomBytes)
    const entered = new AbortController()
    const own = { bytes: held, person, enter: () => entered.abort() }
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
      hold(person, -given)
      admit()
    }
  }

  const holder = (person: string | undefined) => {
    const left = new AbortController()
    const all: KeepOnly[] = []
    return {
      reserve: async (bytes: number): Promise<KeepOnly> => {
        const keepOnly = await take(bytes, { person, left: left.signal })
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
    until(response, caller) {
      const { reserve, leave } = holder(personOf(actorOf(caller)))
      whenClosed(response, leave)
      return reserve
    },
    async during(by, work) {
      const { reserve, leave } = holder(personOf(by))
      try {
        return await work(reserve)
      } finally {
        leave()
      }
    },
  }
}

type Arriving = { headers: { 'content-length'?: string | undefined }; caller: RequestCaller }

/**
 * The hook of a route whose body is parsed in memory: it is read only once there is room for it. A body that does not
 * tell its length may be as long as the route allows.
 */
export const holdBody =
  (room: TextRoom, maxBytes: number) =>
  async ({ headers, caller }: Arriving, { raw }: { raw: ServerResponse }): Promise<void> => {
    const told = headers['content-length']
    await room.until(raw, caller)(told === undefined ? maxBytes : Math.min(Number(told), maxBytes))
  }
