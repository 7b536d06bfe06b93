// Live sessions: 50 participants of one note, at the daemon and through the relay, compared with a plain WebSocket
// broadcast of the same bytes; the time until a keystroke is durable and until an edit on disk is shown; the merge of
// rewrites, and memory. --seconds 10 (the default) sets the length of each fan-out.
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { homeWith } from '../test/support/vault-home.ts'
import { NOTE, startWays, VAULT } from './live/entrance.ts'
import { ofBroadcast, ofSessions, PARTICIPANTS, PER_SECOND, type FanOut } from './live/fan-out.ts'
import { slowestMerge } from './live/merge-rewrites.ts'
import { vaultText } from './live/note-text.ts'
import { memoryPerNote } from './live/open-notes.ts'
import { appended, keystrokes, outsideEdits, rewritten } from './live/single-edits.ts'
import { printTable, quantile, spread } from './rounds.ts'

const { values: options } = parseArgs({ options: { seconds: { type: 'string', default: '10' } } })
const SECONDS = Number(options.seconds)
const ROUNDS = 3
const OPEN_NOTES = 501
const NOTE_BYTES = 20_000
const bundle = fileURLToPath(new URL('../daemon/dist/bundle/svcd.mjs', import.meta.url))
const memory = fileURLToPath(new URL('live/report-memory.ts', import.meta.url))

const names = Array.from({ length: OPEN_NOTES }, (_, nth) => `open-${nth}.md`)
const notes = Object.fromEntries(names.map((name) => [`${VAULT}/${name}`, vaultText(NOTE_BYTES)]))
const home = await homeWith({ [`${VAULT}/${NOTE}`]: '# Read me\n', ...notes })
const env = { SVC_LOG_LEVEL: 'info', NODE_OPTIONS: `--expose-gc --import ${memory}` }
const ways = await startWays({ home, program: bundle, env })
try {
  const runs = { live: [] as FanOut[], relayed: [] as FanOut[], plain: [] as FanOut[] }
  for (let round = 0; round < ROUNDS; round++) {
    runs.live.push(await ofSessions(ways.local, SECONDS))
    runs.plain.push(await ofBroadcast(SECONDS))
    runs.relayed.push(await ofSessions(ways.relayed, SECONDS))
  }
  const of = (name: keyof typeof runs, value: (run: FanOut) => number) => spread(runs[name].map(value)).median
  const fanOut = (name: string, value: (run: FanOut) => number, show: (value: number) => string, target = '') => {
    const [live, plain] = [of('live', value), of('plain', value)]
    return [name, show(live), show(of('relayed', value)), show(plain), `${(live / plain).toFixed(1)}×`, target]
  }
  const ms = (value: number) => `${value.toFixed(1)} ms`
  const percent = (value: number) => `${(value * 100).toFixed(1)} %`
  const show = (times: number[]) => `${quantile(times, 0.5).toFixed(1)} / ${ms(quantile(times, 0.99))}`
  const single = (name: string, local: number[], relayed: number[], target = '') => {
    return [name, show(local), show(relayed), '', '', target]
  }
  // Overwriting a file may wait for the disk before the daemon can notice anything.
  const outside = async (name: string, edit: Parameters<typeof outsideEdits>[2]) => {
    const [local, relayed] = [await outsideEdits(ways, ways.local, edit), await outsideEdits(ways, ways.relayed, edit)]
    return [
      single(`${name} on disk → shown, p50 / p99`, local.shown, relayed.shown, '≤ 100 ms'),
      single('of it, the writing of the file, p50 / p99', local.written, relayed.written),
    ]
  }
  const merge = slowestMerge()
  const perNote = await memoryPerNote(ways.daemon, ways.local, names)
  printTable(
    [
      `${PARTICIPANTS} participants, ${PER_SECOND} updates/s`,
      'daemon',
      'through the relay',
      'plain broadcast',
      'ratio',
      'target',
    ],
    [
      fanOut(
        'updates per second',
        ({ perSecond }) => perSecond,
        (value) => value.toFixed(0),
      ),
      fanOut('sent → received by each, p50', ({ latencies }) => quantile(latencies, 0.5), ms),
      fanOut('sent → received by each, p99', ({ latencies }) => quantile(latencies, 0.99), ms, '≤ 10 ms'),
      fanOut('CPU of the server, of one core', ({ cpuShares }) => cpuShares[0]!, percent, '≤ 15 %'),
      ['CPU of the relay, of one core', '', percent(of('relayed', ({ cpuShares }) => cpuShares[1]!)), '', '', ''],
      single(
        'keystroke → durable, one client, p50 / p99',
        await keystrokes(ways.local),
        await keystrokes(ways.relayed),
      ),
      ...(await outside('line appended', appended)),
      ...(await outside('100 KB rewritten', rewritten)),
      [`merge of a rewrite of 100 KB, slowest: ${merge.rewrite}`, ms(merge.ms), '', '', '', '≤ 50 ms'],
      [
        `memory per open note of ${NOTE_BYTES / 1000} KB`,
        `${(perNote / 1000).toFixed(0)} KB`,
        '',
        '',
        '',
        '≤ 100 KB + text',
      ],
    ],
  )
} finally {
  await ways.stop()
}
