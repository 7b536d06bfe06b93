import { randomBytes } from 'node:crypto'
import type { Writable } from 'node:stream'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { toClose, toServiceError } from '@svc/shared/wire/error-body.ts'
import { fail, isFailure } from '@svc/shared/wire/errors.ts'
import { ClientMessage, liveLimits } from '@svc/shared/wire/daemon/live-messages.ts'
import type { WebSocket } from 'ws'
import type { Activity } from '../http/activity.ts'
import type { Actor } from '../entry/actor.ts'
import { joinSession } from './join-session.ts'
import type { LiveSession } from './live-session.ts'
import type { LiveSessions } from './open-live-sessions.ts'
import { encodeMessage, type Participant } from './participant.ts'
import { tokenBucket } from './token-bucket.ts'

type Options = {
  socket: WebSocket
  /** What the socket writes to. Messages for many participants are framed once and written here. */
  stream: Writable
  /** Opens the vault's sessions. */
  sessions: () => Promise<LiveSessions>
  path: string
  actor: Actor
  activity: Activity
  clock: Clock
  log: Log
}

const HELLO_MS = 15_000
const PING_MS = 30_000
// Pages do not see pings.
const ALIVE = encodeMessage({ type: 'alive' })

/**
 * Speaks the live protocol with one client, message by message. Size and rate are checked before a message is parsed.
 */
export function liveConnection({ socket, stream, sessions, path, actor, activity, clock, log }: Options): void {
  const bucket = tokenBucket({ burst: liveLimits.messageBurst, perSecond: liveLimits.messagesPerSecond, clock })
  let participant: Participant | undefined
  let session: LiveSession | undefined
  let state: 'new' | 'loading' | 'ready' | 'ended' = 'new'
  let waiting = 0
  let signOfLife = () => {}
  let work = Promise.resolve()

  const hasEnded = () => state === 'ended'

  function end(error?: unknown): void {
    if (state === 'ended') return
    state = 'ended'
    const failure = error === undefined ? undefined : toServiceError(error)
    if (failure?.code === 'internal') log.error({ err: error }, 'a live connection failed by a bug')
    const { code, reason } = failure ? toClose(failure) : { code: 1000, reason: '' }
    socket.close(code, reason)
    leave()
  }

  function leave(): void {
    state = 'ended'
    clearTimeout(patience)
    clearInterval(ping)
    if (!participant || !session) return
    session.audience.remove(participant)
    const left = session
    participant = session = undefined
    void sessions().then((open) => open.left(left))
  }

  const newParticipant = (clientId: string): Participant => ({
    id: randomBytes(9).toString('base64url'),
    clientId,
    actor,
    send(frame) {
      if (state === 'ended' || socket.readyState !== socket.OPEN) return
      // The client reads too slowly. Queued messages would fill the memory; it resumes when it reconnects.
      if (socket.bufferedAmount > liveLimits.maxBacklogBytes) return end(fail('request_timeout'))
      stream.write(frame)
    },
    backlog: () => socket.bufferedAmount,
    isOpen: () => state !== 'ended',
    end,
  })

  async function counted(work: Promise<void>): Promise<void> {
    const done = activity.begin()
    await work.finally(done)
  }

  async function take(message: ClientMessage): Promise<void> {
    if (state === 'ended') return
    if (message.type === 'hello') {
      if (state !== 'new') throw refuse('hello comes once')
      clearTimeout(patience)
      const open = await sessions()
      const opened = await open.open(path, actor)
      const joining = newParticipant(message.clientId)
      try {
        // The client may have gone while the note was opened.
        if (hasEnded()) return
        state = 'loading'
        const { receipts } = open
        const isLoaded = await joinSession({ session: opened, participant: joining, hello: message, receipts })
        if (hasEnded()) return opened.audience.remove(joining)
        participant = joining
        session = opened
        if (isLoaded) state = 'ready'
      } finally {
        open.joined(opened)
      }
      if (message.alive) signOfLife = () => joining.send(ALIVE)
      signOfLife()
      return
    }
    if (!participant || !session) throw refuse('hello comes first')
    switch (message.type) {
      case 'loaded': {
        if (state !== 'loading') return
        session.proveLoaded(message)
        state = 'ready'
        return
      }
      case 'push':
        // Without the whole text, a client must not replace it with what it believes to be all of it.
        if (state !== 'ready') throw fail('stale_doc', { reason: 'the text has not been loaded' })
        return counted(session.push({ ...message, clientID: participant.clientId, by: actor }))
      case 'cursor':
        return session.cursor(participant, message)
      case 'bye':
        ;(await sessions()).forget(participant.clientId)
    }
  }

  socket.on('message', (data: Buffer, isBinary) => {
    if (state === 'ended') return
    if (isBinary) return end(refuse('messages are text'))
    if (!bucket.take() || waiting >= liveLimits.messageBurst) return end(fail('too_many_requests'))
    const message = parse(data)
    if (message === undefined) return end(refuse('the message is none of the protocol'))
    waiting += 1
    work = work
      .then(() => take(message))
      .catch((error: unknown) => {
        if (isFailure(error) || state !== 'ended') end(error)
      })
      .finally(() => (waiting -= 1))
  })
  socket.on('close', leave)

  const patience = setTimeout(() => end(fail('request_timeout')), HELLO_MS)
  let isAlive = true
  socket.on('pong', () => (isAlive = true))
  const ping = setInterval(() => {
    if (!isAlive) return socket.terminate()
    isAlive = false
    socket.ping()
    signOfLife()
  }, PING_MS)
}

const refuse = (message: string) => fail('invalid_request', [{ path: 'message', message }])

function parse(data: Buffer): ClientMessage | undefined {
  try {
    return ClientMessage.safeParse(JSON.parse(data.toString('utf8'))).data
  } catch {
    return undefined
  }
}
