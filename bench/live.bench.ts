// Live sessions: 50 participants of one note against a plain WebSocket broadcast of the same bytes, the time until a
// keystroke is durable, and the time until an edit on disk is shown. --seconds 10 (the default) sets the length of each
// fan-out.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { WebSocket } from 'ws'
import { startSvcd, type Svcd } from '../test/support/svcd.ts'
import { liveClient } from '../test/support/live-client.ts'
import { until } from '../test/support/until.ts'
import { participant, TOKEN } from './live/participant.ts'
import { cpuTimes } from './relay/cpu-time.ts'
import { printTable, quantile, spread } from './rounds.ts'

const { values: options } = parseArgs({ options: { seconds: { type: 'string', default: '10' } } })
const SECONDS = Number(options.seconds)
const PARTICIPANTS = 50
const WRITERS = 10
const PER_SECOND = 250
const ROUNDS = 3
const NOTE = 'README.md'
const bundle = fileURLToPath(new URL('../daemon/dist/bundle/svcd.mjs', import.meta.url))
const ms = (value: number): string => value.toFixed(1)
const pause = (time: number) => new Promise((resolve) => setTimeout(resolve, time))

type FanOut = { latencies: number[]; cpuShare: number; perSecond: number }
type Run = { pid: number; push(writer: number): boolean }

/** Sends updates at an even pace and returns the server's cost. */
async function paced({ pid, push }: Run, latencies: number[]): Promise<FanOut> {
  const before = cpuTimes({ server: pid })?.server ?? 0
  const since = performance.now()
  let sent = 0
  for (let tick = 0; performance.now() - since < SECONDS * 1000; tick++) {
    if (push(tick % WRITERS)) sent += 1
    const wait = since + ((tick + 1) * 1000) / PER_SECOND - performance.now()
    if (wait > 0) await pause(wait)
  }
  const took = performance.now() - since
  const cpu = (cpuTimes({ server: pid })?.server ?? 0) - before
  await pause(500)
  return { latencies: latencies.sort((a, b) => a - b), cpuShare: cpu / took, perSecond: (sent * 1000) / took }
}

async function ofSessions(daemon: Svcd): Promise<FanOut> {
  const url = `${daemon.url.replace('http', 'ws')}/api/vaults/demo-vault/live/${NOTE}`
  const sentAt = new Map<string, number>()
  const latencies: number[] = []
  const heard = (client: string, nth: number) => {
    const at = sentAt.get(`${client} ${nth}`)
    if (at !== undefined) latencies.push(performance.now() - at)
  }
  const round = Math.random().toString(36).slice(2, 8)
  const ids = Array.from({ length: PARTICIPANTS }, (_, nth) => `bench-${round}-${nth}`)
  const all = ids.map((id) => participant({ url, id, heard }))
  await until('all have the note', async () => all.every((one) => one.isReady()))
  const counts = ids.map(() => 0)
  const push = (writer: number) => {
    if (!all[writer]!.push()) return false
    sentAt.set(`${ids[writer]} ${++counts[writer]!}`, performance.now())
    return true
  }
  const result = await paced({ pid: daemon.process.pid!, push }, latencies)
  for (const one of all) one.close()
  return result
}

async function ofBroadcast(): Promise<FanOut> {
  const server = fork(fileURLToPath(new URL('live/broadcast-process.ts', import.meta.url)))
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
  const result = await paced({ pid: server.pid!, push }, latencies)
  for (const socket of sockets) socket.terminate()
  server.kill()
  return result
}

async function keystrokes(daemon: Svcd): Promise<number[]> {
  const client = liveClient({ url: () => daemon.url, path: NOTE })
  await client.reaches('saved', 'durable')
  const times: number[] = []
  for (let nth = 0; nth < 200; nth++) {
    const since = performance.now()
    client.type('k')
    await client.reaches('saved', 'durable')
    times.push(performance.now() - since)
    await pause(35)
  }
  await client.close()
  return times.sort((a, b) => a - b)
}

async function outsideEdits(daemon: Svcd, edit: (file: string, token: string) => Promise<void>): Promise<number[]> {
  const file = daemon.file('demo-vault', 'outside.md')
  await writeFile(file, `${'A line of a note of some length.\n'.repeat(3200)}`)
  await until('the note is known', async () => (await fetch(`${daemon.url}/api/vaults/demo-vault/notes/outside.md`)).ok)
  const client = liveClient({ url: () => daemon.url, path: 'outside.md' })
  await client.shows((text) => text !== '')
  const times: number[] = []
  for (let nth = 0; nth < 20; nth++) {
    const token = `outside-${nth}.`
    const since = performance.now()
    await edit(file, token)
    await client.shows((text) => text.includes(token))
    times.push(performance.now() - since)
    await pause(300)
  }
  await client.close()
  return times.sort((a, b) => a - b)
}

const rewritten = async (file: string, token: string) =>
  writeFile(file, (await readFile(file, 'utf8')).replaceAll(/^\S+ line/gm, `${token} line`))

const daemon = await startSvcd({ program: bundle, env: { SVC_LOG_LEVEL: 'info' } })
try {
  const runs: Record<'live' | 'plain', FanOut[]> = { live: [], plain: [] }
  for (let round = 0; round < ROUNDS; round++) {
    runs.live.push(await ofSessions(daemon))
    runs.plain.push(await ofBroadcast())
  }
  const of = (name: 'live' | 'plain', value: (run: FanOut) => number) => spread(runs[name].map(value)).median
  const fanOut = (name: string, value: (run: FanOut) => number, show: (value: number) => string, target: string) => {
    const [live, plain] = [of('live', value), of('plain', value)]
    return [name, show(live), show(plain), `${(live / plain).toFixed(1)}×`, target]
  }
  const percent = (value: number) => `${(value * 100).toFixed(1)} %`
  const alone = await keystrokes(daemon)
  const outside = await outsideEdits(daemon, (file, token) => appendFile(file, `${token}\n`))
  const whole = await outsideEdits(daemon, rewritten)
  const single = (name: string, times: number[], target: string) => [
    name,
    `${ms(quantile(times, 0.5))} / ${ms(quantile(times, 0.99))} ms`,
    '',
    '',
    target,
  ]
  printTable(
    [`${PARTICIPANTS} participants, ${PER_SECOND} updates/s`, 'live session', 'plain broadcast', 'ratio', 'target'],
    [
      fanOut(
        'updates per second',
        (run) => run.perSecond,
        (value) => value.toFixed(0),
        '',
      ),
      fanOut(
        'sent → received by each, p50',
        (run) => quantile(run.latencies, 0.5),
        (value) => `${ms(value)} ms`,
        '',
      ),
      fanOut(
        'sent → received by each, p99',
        (run) => quantile(run.latencies, 0.99),
        (value) => `${ms(value)} ms`,
        '≤ 10 ms',
      ),
      fanOut('CPU of the server, of one core', (run) => run.cpuShare, percent, '≤ 15 %'),
      single('keystroke → durable, one client, p50 / p99', alone, ''),
      single('line appended on disk → shown, p50 / p99', outside, '≤ 100 ms'),
      single('100 KB rewritten on disk → shown, p50 / p99', whole, '≤ 100 ms'),
    ],
  )
} finally {
  await daemon.remove()
}
