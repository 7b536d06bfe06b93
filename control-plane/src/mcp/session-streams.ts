import { PassThrough, type Readable } from 'node:stream'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { whenClosed } from '@svc/shared/kit/when-closed.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { RpcFailure, rpcCodes } from '@svc/shared/wire/mcp/rpc-failure.ts'
import { MAX_UNREAD_BYTES } from './limit-unread.ts'
import type { LiveGrant } from './rights/agent-rights.ts'
import type { Subscriptions } from './subscriptions.repository.ts'
import type { Followed, WatchResources } from './watch-resources.ts'

type Deps = {
  subscriptions: Subscriptions
  watch: WatchResources
  clock: Pick<Clock, 'now'>
  log: Log
  maxStreams?: number
}
type Session = { id: string; endsAt: Date }
type By = { grant: LiveGrant; signal: AbortSignal }
type Stream = { tell(uri: string): void; end(): void }

const MAX_STREAMS = 200
const MAX_STREAMS_OF_GRANT = 5
const MAX_STREAMS_OF_PERSON = 10
const MAX_FILES = 100
const KEEP_ALIVE_MS = 15_000

/**
 * Streams that notify clients of changed files: those of sessions, and those of `subscriptions/listen`. Their number is
 * limited.
 */
export function createSessionStreams({ subscriptions, watch, clock, log, maxStreams = MAX_STREAMS }: Deps) {
  const open = new Map<Stream, LiveGrant>()

  const hasRoom = ({ id, user_id: person }: LiveGrant): boolean => {
    const ofPerson = [...open.values()].filter((grant) => grant.user_id === person)
    const ofGrant = ofPerson.filter((grant) => grant.id === id)
    return open.size < maxStreams && ofPerson.length < MAX_STREAMS_OF_PERSON && ofGrant.length < MAX_STREAMS_OF_GRANT
  }

  /** Follows files until the stream ends; ends the stream when the agent may no longer be notified. */
  const run = (stream: Stream, { grant, signal }: By, followed: () => Promise<readonly Followed[]>): void => {
    open.set(stream, grant)
    void watch
      .follow({ grant, followed, tell: stream.tell, signal })
      .catch((error: unknown) => log.error({ err: error }, 'a stream of changes failed by a bug'))
      .finally(() => {
        open.delete(stream)
        stream.end()
      })
  }

  return {
    subscribe: async (uri: string, { session, ...by }: By & { session: Session }): Promise<void> => {
      const { since } = await watch.placeOf(uri, by)
      const subscription = { sessionId: session.id, uri, since, expiresAt: session.endsAt }
      if (await subscriptions.insert(subscription, { most: MAX_FILES })) return
      throw new RpcFailure(rpcCodes.invalidParams, `A session follows at most ${MAX_FILES} resources`)
    },
    unsubscribe: (uri: string, { id }: Session): Promise<void> => subscriptions.delete(id, uri),

    /** Opens the stream of a session, which ends with it; undefined when there are too many. */
    openOf: (session: Session, by: By): Readable | undefined => {
      if (!hasRoom(by.grant)) return undefined
      const output = new PassThrough()
      const write = (text: string): void => {
        if (!output.writable) return
        output.write(text)
        if (output.readableLength + output.writableLength > MAX_UNREAD_BYTES) output.destroy()
      }
      const keepAlive = setInterval(() => write(': keepalive\n\n'), KEEP_ALIVE_MS)
      const left = new AbortController()
      whenClosed(output, () => left.abort())
      const stream = {
        tell: (uri: string) => {
          const message = { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri } }
          write(`event: message\ndata: ${JSON.stringify(message)}\n\n`)
        },
        end: () => {
          clearInterval(keepAlive)
          output.end()
        },
      }
      write(': open\n\n')
      const followed = async () => {
        const { hasEnded, files } = await subscriptions.findOf(session.id)
        if (!hasEnded && session.endsAt > clock.now()) return files
        // Nothing would be told any more. A client whose stream ends asks for another one, and learns to begin anew.
        left.abort()
        return []
      }
      run(stream, { ...by, signal: AbortSignal.any([by.signal, left.signal]) }, followed)
      return output
    },

    /**
     * The positions from which to follow files. Fails when the client may not follow one of them, or follows too many.
     */
    placesOf: async (uris: readonly string[], by: By): Promise<Followed[]> => {
      if (!hasRoom(by.grant)) throw fail('too_many_requests', undefined, { retryAfterSeconds: 30 })
      const files = [...new Set(uris)]
      if (files.length > MAX_FILES)
        throw fail('invalid_request', [
          { path: 'resourceSubscriptions', message: `has at most ${MAX_FILES} resources` },
        ])
      return Promise.all(files.map((uri) => watch.placeOf(uri, by)))
    },

    /** Notifies a stream of the changes of files after these positions; ends it when there are too many. */
    followPlaces: (places: readonly Followed[], stream: Stream, by: By): void =>
      hasRoom(by.grant) ? run(stream, by, async () => places) : stream.end(),

    endSession: (id: string): Promise<void> => subscriptions.deleteOf(id),
    deleteExpired: subscriptions.deleteExpired,
    endAll: (): void => {
      for (const stream of open.keys()) stream.end()
    },
  }
}

export type SessionStreams = ReturnType<typeof createSessionStreams>
