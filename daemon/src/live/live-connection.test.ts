import { EventEmitter } from 'node:events'
import { PassThrough } from 'node:stream'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { test } from 'vitest'
import type { WebSocket } from 'ws'
import { memoryDisk } from '../../../test/support/live-model.ts'
import { until } from '../../../test/support/until.ts'
import { createActivity } from '../http/activity.ts'
import { liveConnection } from './live-connection.ts'
import { openLiveSessions } from './open-live-sessions.ts'

test('a client that goes while its note is opened is no participant, and the session ends', async () => {
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
    clock: systemClock,
    logger: log,
    ...limits,
  })
  const socket = Object.assign(new EventEmitter(), { OPEN: 1, readyState: 1, bufferedAmount: 0, close() {} })
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
  socket.emit('message', Buffer.from(JSON.stringify({ type: 'hello', clientId: 'client-1' })), false)
  await asked.promise
  socket.readyState = 3
  socket.emit('close')
  read.resolve()
  await found.promise
  await until('the session has ended', () => sessions.find('note.md') === undefined)
  await sessions.close()
})
