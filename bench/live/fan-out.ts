import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { WebSocket } from 'ws'
import { until } from '../../test/support/until.ts'
import { cpuTimes } from '../relay/cpu-time.ts'
import { NOTE, type Entrance } from './entrance.ts'
import { participant, TOKEN } from './participant.ts'

export const PARTICIPANTS = 50
const WRITERS = 10
export const PER_SECOND = 250

/** The sorted times from sending to receipt, and the share of a core that each process used. */
export type FanOut = { latencies: number[]; cpuShares: number[]; perSecond: number }

type Run = { processes: number[]; seconds: number; push(writer: number): boolean }

/** Sends updates at an even pace; measures the CPU time of the processes meanwhile. */
async function paced({ processes, seconds, push }: Run, latencies: number[]): Promise<FanOut> {
  const used = () => processes.map((pid) => cpuTimes({ it: pid })?.['it'] ?? 0)
  const before = used()
  const since = performance.now()
  let sent = 0
  for (let tick = 0; performance.now() - since < seconds * 1000; tick++) {
    if (push(tick % WRITERS)) sent += 1
    const wait = since + ((tick + 1) * 1000) / PER_SECOND - performance.now()
    if (wait > 0) await pause(wait)
  }
  const took = performance.now() - since
  const cpuShares = used().map((time, nth) => (time - before[nth]!) / took)
  await pause(500)
  return { latencies: latencies.sort((a, b) => a - b), cpuShares, perSecond: (sent * 1000) / took }
}

/** Measures the live session of one note, in which some of the participants write. */
export async function ofSessions({ url, headers, processes }: Entrance, seconds: number): Promise<FanOut> {
  const sentAt = new Map<string, number>()
  const latencies: number[] = []
  const heard = (client: string, nth: number) => {
    const at = sentAt.get(`${client} ${nth}`)
    if (at !== undefined) latencies.push(performance.now() - at)
  }
  const round = Math.random().toString(36).slice(2, 8)
  const ids = Array.from({ length: PARTICIPANTS }, (_, nth) => `bench-${round}-${nth}`)
  const all = ids.map((id) => participant({ url: url(NOTE), headers, id, heard }))
  await until('all have the note', async () => all.every((one) => one.isReady()))
  const counts = ids.map(() => 0)
  const push = (writer: number) => {
    if (!all[writer]!.push()) return false
    sentAt.set(`${ids[writer]} ${++counts[writer]!}`, performance.now())
    return true
  }
  const result = await paced({ processes, seconds, push }, latencies)
  for (const one of all) one.close()
  return result
}

/** Measures a process that only forwards each message, of the same length, to all connections. */
export async function ofBroadcast(seconds: number): Promise<FanOut> {
  const server = fork(fileURLToPath(new URL('broadcast-process.ts', import.meta.url)))
  const [port] = (await once(server, 'message')) as [number]
  const sockets = Array.from({ length: PARTICIPANTS }, () => new WebSocket(`ws://127.0.0.1:${port}`))
  const latencies: number[] = []
  for (const socket of sockets)
    socket.on('message', (data: Buffer) => {
      const { at } = JSON.parse(data.toString()) as { at: number }
      latencies.push(performance.now() - at)
    })
  await Promise.all(sockets.map((socket) => once(socket, 'open')))
  // The length of the daemon's message for one update.
  const update = {
    type: 'updates',
    version: 123_456,
    updates: [{ client: 'bench-xxxxxx-1', changes: [[0, TOKEN], 99] }],
  }
  const push = (writer: number) => {
    sockets[writer]!.send(JSON.stringify({ ...update, at: performance.now() }))
    return true
  }
  const result = await paced({ processes: [server.pid!], seconds, push }, latencies)
  for (const socket of sockets) socket.terminate()
  server.kill()
  return result
}
