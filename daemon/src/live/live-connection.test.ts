import { EventEmitter } from 'node:events'
import { PassThrough } from 'node:stream'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { liveLimits } from '@svc/shared/wire/daemon/live-messages.ts'
import { expect, test } from 'vitest'
import type { WebSocket } from 'ws'
import { memoryDisk } from '../../../test/support/live-model.ts'
import { until } from '../../../test/support/until.ts'
import { createActivity } from '../http/activity.ts'
import { liveConnection } from './live-connection.ts'
import { OpenTexts } from './document/open-texts.ts'
import { openLiveSessions } from './open-live-sessions.ts'

/** A connection whose note is found when `read` resolves, after which `found` does. */
async function connect() {
  const disk = memoryDisk('one')
  const log = createLog({ service: 'test', level: 'fatal' })
  const limits = { maxNoteBytes: 1_000, writeBehind: { idleMs: 60_000, atMostMs: 60_000 }, lingerMs: 0 }
  const asked = Promise.withResolvers<void>()
  const read = Promise.withResolvers<void>()
  const found = Promise.withResolvers<void>()
  const files = {
    ...disk.files,
    async find(path: string) {
      asked.resolve()
      await read.promise
      setImmediate(found.resolve)
      return disk.files.find(path)
    },
  }
  const { file } = disk
  const sessions = await openLiveSessions({
    files,
    file,
    logged: Buffer.alloc(0),
    texts: new OpenTexts(),
    clock: systemClock,
    logger: log,
    ...limits,
  })
  const closes: string[] = []
  const socket = Object.assign(new EventEmitter(), {
    OPEN: 1,
    readyState: 1,
    bufferedAmount: 0,
    close: (_code: number, reason: string) => void closes.push(reason),
  })
  liveConnection({
    socket: socket as unknown as WebSocket,
    stream: new PassThrough(),
    sessions: async () => sessions,
    path: 'note.md',
    movedTo: async () => undefined,
    actor: { kind: 'local' },
    activity: createActivity(systemClock),
    clock: systemClock,
    log,
  })
  const send = (message: object) => socket.emit('message', Buffer.from(JSON.stringify(message)), false)
  send({ type: 'hello', clientId: 'client-1' })
  await asked.promise
  return { sessions, socket, closes, send, read, found }
}

test('a client that goes while its note is opened is no participant, and the session ends', async () => {
  const { sessions, socket, read, found } = await connect()
  socket.readyState = 3
  socket.emit('close')
  read.resolve()
  await found.promise
  await until('the session has ended', () => sessions.find('note.md') === undefined)
  await sessions.close()
})

test('a client that sends much more than is taken is disconnected before it fills the memory', async () => {
  const { sessions, closes, send, read } = await connect()
  const characters = 200_000
  const push = { type: 'push', version: 0, seq: 1, updates: [[[0, 'x'.repeat(characters)]]] }
  const fitting = Math.floor(liveLimits.maxWaiting / characters) - 1
  for (let nth = 0; nth < fitting; nth++) send(push)
  expect(closes).toEqual([])
  send(push)
  send(push)
  expect(closes).toEqual(['too_many_requests'])
  read.resolve()
  await until('the session has ended', () => sessions.find('note.md') === undefined)
  await sessions.close()
})
