import { once } from 'node:events'
import { WebSocket } from 'ws'
import type { DaemonMessage } from '@svc/shared/wire/daemon/live-messages.ts'
import type { Svcd } from '../../test/support/svcd.ts'
import type { Entrance } from './entrance.ts'
import type { KeptMemory } from './report-memory.ts'

const AT_ONCE = 50

/** The memory of the daemon for each note that is open with one participant, in bytes. */
export async function memoryPerNote(daemon: Svcd, way: Entrance, notes: readonly string[]): Promise<number> {
  const kept = async () => {
    daemon.process.send!('memory')
    const [bytes] = (await once(daemon.process, 'message')) as [KeptMemory]
    return bytes
  }
  // The first note loads code that all notes need.
  const first = await openNote(way, notes[0]!)
  const before = await kept()
  const sockets = [first]
  for (let at = 1; at < notes.length; at += AT_ONCE)
    sockets.push(...(await Promise.all(notes.slice(at, at + AT_ONCE).map((note) => openNote(way, note)))))
  const after = await kept()
  for (const socket of sockets) socket.terminate()
  return (after - before) / (notes.length - 1)
}

/** Opens a note and reads all of it, after which the session allows the participant to write. */
async function openNote({ url, headers }: Entrance, note: string): Promise<WebSocket> {
  const socket = new WebSocket(url(note), { headers })
  let [version, length, parts, got] = [0, 0, 0, 0]
  const send = (message: unknown) => socket.send(JSON.stringify(message))
  const done = Promise.withResolvers<void>()
  socket.on('error', done.reject)
  socket.on('close', () => done.reject(new Error(`${note} was closed`)))
  socket.on('open', () => send({ type: 'hello', clientId: `bench-${note.replaceAll(/\W/g, '-')}` }))
  socket.on('message', (data: Buffer) => {
    const message = JSON.parse(data.toString()) as DaemonMessage
    if (message.type === 'welcome') ({ version, parts } = message)
    if (message.type !== 'text') return
    length += message.part.length
    if (++got < parts) return
    send({ type: 'loaded', version, length })
    done.resolve()
  })
  await done.promise
  return socket
}
