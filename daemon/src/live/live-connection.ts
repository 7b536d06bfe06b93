import { randomBytes } from 'node:crypto'
import type { Writable } from 'node:stream'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { toClose, toServiceError } from '@svc/shared/wire/error-body.ts'
import { fail, isFailure } from '@svc/shared/wire/errors.ts'
import { liveLimits, type ClientMessage } from '@svc/shared/wire/daemon/live-messages.ts'
import { readClientMessage } from '@svc/shared/wire/daemon/read-client-message.ts'
import type { WebSocket } from 'ws'
import type { Activity } from '../http/activity.ts'
import type { Actor } from '../entry/actor.ts'
import { joinSession } from './join-session.ts'
import type { LiveSession } from './live-session.ts'
import type { LiveSessions } from './open-live-sessions.ts'
import { openMoved } from './open-moved.ts'
import { encodeMessage, type Participant } from './participant.ts'
import { tokenBucket } from './token-bucket.ts'

type Options = {
  socket: WebSocket
  /** What the socket writes to. Messages for many participants are framed once and written here. */
  stream: Writable
  /** Opens the vault's sessions. */
  sessions: () => Promise<LiveSessions>
  path: string
  /** Finds the present path of the note that was last at a path. */
  movedTo: (path: string) => Promise<string | undefined>
  actor: Actor
  activity: Activity
  clock: Clock
  log: Log
}

const HELLO_MS = 15_000
const PING_MS = 30_000
// Pages cannot see pings, so the daemon sends this message.
const ALIVE = encodeMessage({ type: 'alive' })

/**
 * Speaks the live protocol with one client, message by message. Size and rate are checked before a message is parsed.
 */
export function liveConnection({ socket, stream, sessions, path, movedTo, actor, ...rest }: Options): void {
  const { activity, clock, log } = rest
  const bucket = tokenBucket({ burst: liveLimits.messageBurst, perSecond: liveLimits.messagesPerSecond, clock })
  /** Kept to leave and to say goodbye: by then the vault may be gone, and no other sessions may be opened for it. */
  let joined: { participant: Participant; session: LiveSession; of: LiveSessions } | undefined
  let state: 'new' | 'loading' | 'ready' | 'ended' = 'new'
  /**
   * Messages that have arrived, including the one in progress at the front: the next one is taken when a push is
   * durable.
   */
  const waiting: { message: ClientMessage; characters: number }[] = []
  let waitingCharacters = 0
  let signOfLife = () => {}

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
    if (!joined) return
    const { participant, session, of } = joined
    joined = undefined
    session.audience.remove(participant)
    of.left(session)
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

  async function take(message: ClientMessage): Promise<void> {
    if (state === 'ended') return
    if (message.type === 'hello') {
      if (state !== 'new') throw refuse('hello comes once')
      clearTimeout(patience)
      const open = await sessions()
      const opened = await openMoved({ sessions: open, path, by: actor, movedTo })
      const joining = newParticipant(message.clientId)
      try {
        // The client may have gone while the note was opened.
        if (hasEnded()) return
        state = 'loading'
        const { receipts } = open
        const isLoaded = await joinSession({ session: opened, participant: joining, hello: message, receipts })
        if (hasEnded()) return opened.audience.remove(joining)
        joined = { participant: joining, session: opened, of: open }
        if (isLoaded) state = 'ready'
      } finally {
        open.joined(opened)
      }
      if (message.alive) signOfLife = () => joining.send(ALIVE)
      signOfLife()
      return
    }
    if (!joined) throw refuse('hello comes first')
    const { participant, session, of } = joined
    switch (message.type) {
      case 'loaded': {
        if (state !== 'loading') return
        session.proveLoaded(message)
        state = 'ready'
        return
      }
      case 'push': {
        // Without the whole text, a client must not replace it with what it believes to be all of it.
        if (state !== 'ready') throw fail('stale_doc', { reason: 'the text has not been loaded' })
        // Text that is accepted may use the reserve of the volume when it is saved.
        await of.refuseWhenFull()
        if (hasEnded()) return
        const { version, seq, updates } = message
        const done = activity.begin()
        try {
          await session.push({ version, seq, updates, clientID: participant.clientId, by: actor, hasEnded })
        } finally {
          done()
        }
        return
      }
      case 'cursor':
        return session.cursor(participant, message)
      case 'bye':
        of.forget(participant.clientId)
    }
  }

  async function takeAll(): Promise<void> {
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      try {
        await take(next.message)
      } catch (error) {
        if (isFailure(error) || !hasEnded()) end(error)
      }
      waiting.shift()
      waitingCharacters -= next.characters
    }
  }

  socket.on('message', (data: Buffer, isBinary) => {
    if (state === 'ended') return
    if (isBinary) return end(refuse('messages are text'))
    if (!bucket.take() || waiting.length >= liveLimits.messageBurst) return end(fail('too_many_requests'))
    const text = data.toString('utf8')
    const characters = text.length
    // The values of a message take many times its size.
    if (waitingCharacters + characters > liveLimits.maxWaiting) return end(fail('too_many_requests'))
    const message = readClientMessage(text)
    if (message === undefined) return end(refuse('the message is none of the protocol'))
    waiting.push({ message, characters })
    waitingCharacters += characters
    if (waiting.length === 1) void takeAll()
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
