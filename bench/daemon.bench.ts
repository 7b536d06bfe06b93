// Opening, searching, reading and saving in vaults of several sizes, each figure beside a physical baseline of the same
// run. --notes 1000,10000,100000 (the default) sets the sizes; --vault DIR adds a vault of your own, which is copied.
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { cat, find, gitSpawn, has, plainWrite, ripgrep, withProcessor } from './daemon/physical-baselines.ts'
import { BARE, startDaemon, type RunningDaemon } from './daemon/running-daemon.ts'
import { generateVault, type GeneratedVault } from './daemon/vault-generator.ts'
import { printTable, quantile, spread } from './rounds.ts'

const { values: options } = parseArgs({
  options: { notes: { type: 'string', default: '1000,10000,100000' }, vault: { type: 'string' } },
})
const bundle = fileURLToPath(new URL('../daemon/dist/bundle/svcd.mjs', import.meta.url))
const ROUNDS = 5
const QUERIES = 1000
const SAVES = 200
const IDLE_MS = 20_000
const BUILDER_GONE_MS = 1500
const REQUESTS = 200
const FOUND_WITHIN_MS = 60_000
// After this many changed notes, a daemon rebuilds its index within seconds.
const MADE_ANEW = 60
const BUILT_WITHIN_MS = 240_000
const SETTLED_MS = 60_000
// The daemon compares all files with what it remembers every three minutes, which takes memory for ten seconds. The
// first comparison also fills V8's young generation, which then keeps its size.
const COMPARED_MS = 200_000
const READINGS = 9
const BETWEEN_READINGS_MS = 5000

type Subject = { name: string; home: string; root: string; words: Omit<GeneratedVault, 'bytes'> }

const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'))
const rows: (string | number)[][] = []
const show = (ms: number): string => (ms < 10 ? ms.toFixed(2) : ms.toFixed(0))
const median = (values: number[]): number => spread(values).median
const ofBare: number[] = []
const bareMemory: number[] = []

function row(name: string, measured: string, baseline: string, ratio: number | string): void {
  const shown = typeof ratio === 'number' ? `${ratio.toFixed(2)}×` : ratio
  rows.push([name, measured, baseline, shown])
  // The table comes at the end, minutes later.
  console.error(`  ${name}: ${measured} ${shown}`)
}

function memoryRow(name: string, megabytes: number, baseline: string, of: number): void {
  row(name, `${megabytes.toFixed(1)} MB`, `${baseline} ${of.toFixed(1)} MB`, `+${(megabytes - of).toFixed(1)} MB`)
}

async function bareStart(): Promise<void> {
  const bare = await startDaemon(BARE, folder)
  ofBare.push(bare.healthyMs)
  // Send as many requests as a daemon gets before its memory is measured, so that the code for requests is loaded here
  // too.
  for (let call = 0; call < REQUESTS; call++) await bare.get('/')
  bareMemory.push(await bare.residentMegabytes())
  await bare.stop()
}

/** Durations of calls in milliseconds, sorted. */
async function timed(count: number, call: (index: number) => Promise<unknown>): Promise<number[]> {
  const times: number[] = []
  for (let index = 0; index < count; index++) {
    const from = performance.now()
    await call(index)
    times.push(performance.now() - from)
  }
  return times.sort((a, b) => a - b)
}

const api = (path: string) => `/api/vaults/v${path}`
const search = (daemon: RunningDaemon, q: string) => daemon.get(api(`/search?q=${encodeURIComponent(q)}`))
const encoded = (path: string) => path.split('/').map(encodeURIComponent).join('/')

async function starts({ name, home, root }: Subject): Promise<void> {
  const [reading, readingProcessor, walking, healthy, warm]: number[][] = [[], [], [], [], []]
  for (let round = 0; round < 3; round++) {
    const { ms, processorMs } = withProcessor(() => cat(root))
    reading!.push(ms)
    readingProcessor!.push(processorMs)
  }
  await bareStart()
  const first = await startDaemon([bundle], home)
  const cold = await first.ready()
  // The process that reads the notes exits soon. Its CPU time is known only after that.
  await sleep(BUILDER_GONE_MS)
  const coldProcessor = first.processorMs()
  await first.stop()
  row(
    `${name}: searchable, first start, processor`,
    `${show(coldProcessor)} ms`,
    `cat ${show(median(readingProcessor!))} ms`,
    coldProcessor / median(readingProcessor!),
  )
  row(
    `${name}: searchable, first start`,
    `${show(cold)} ms`,
    `cat ${show(median(reading!))} ms`,
    cold / median(reading!),
  )

  for (let round = 0; round < ROUNDS; round++) {
    walking!.push(find(root))
    await bareStart()
    const daemon = await startDaemon([bundle], home)
    healthy!.push(daemon.healthyMs)
    warm!.push(await daemon.ready())
    await daemon.stop()
  }
  const bare = median(ofBare)
  row(`${name}: healthy`, `${show(median(healthy!))} ms`, `bare start ${show(bare)} ms`, median(healthy!) / bare)
  const least = median(walking!) + bare
  row(
    `${name}: searchable, later start`,
    `${show(median(warm!))} ms`,
    `find + bare start ${show(least)} ms`,
    median(warm!) / least,
  )
}

/**
 * Searches with different queries of each kind. A query is repeated only after all of its kind were sent. The first
 * ones run unoptimized code.
 */
async function searches({ name, root, words }: Subject, daemon: RunningDaemon): Promise<void> {
  const { common, middle, rare } = words
  const at = (list: readonly string[], index: number) => list[index % list.length]!
  const kinds: Record<string, (index: number) => string> = {
    'a common word': (index) => `${at(common, index)} `,
    'a rare word': (index) => `${at(rare, index)} `,
    'two words': (index) => `${at(common, index)} ${at(middle, index)} `,
    'a phrase': (index) => `"${at(common, index)} ${at(common, index + 1 + Math.floor(index / common.length))}"`,
    'as typed': (index) => `${at(common, index)} ${at(middle, index).slice(0, 3)}`,
  }
  // The first request loads the code of all routes.
  await daemon.get(api('/tree?depth=1'))
  for (const [kind, query] of Object.entries(kinds)) {
    const times = await timed(QUERIES, (index) => search(daemon, query(index)))
    const word = kind === 'a rare word' ? rare : common
    const grep = median(word.slice(0, 3).map((each) => ripgrep(root, each)))
    const p99 = quantile(times, 0.99)
    const measured = `${show(quantile(times, 0.5))} / ${show(p99)} / ${show(times.at(-1)!)} ms`
    row(`${name}: search ${kind}, p50 / p99 / slowest`, measured, `rg ${show(grep)} ms`, `1/${(grep / p99).toFixed(0)}`)
  }
}

/** The median of several readings, in megabytes. */
async function restingMegabytes(daemon: RunningDaemon): Promise<number> {
  const readings: number[] = []
  for (let reading = 0; reading < READINGS; reading++) {
    readings.push(await daemon.residentMegabytes())
    await sleep(BETWEEN_READINGS_MS)
  }
  return median(readings)
}

/**
 * Makes the daemon rebuild its index through changes by another program; reports its memory before, after it has rested
 * for minutes, and a minute after the rebuild.
 */
async function rebuilds(subject: Subject): Promise<void> {
  const { name, home, root } = subject
  const segment = () => statSync(join(home, 'daemon/index/v/segment')).ino
  const daemon = await startToRest(subject)
  await sleep(COMPARED_MS)
  const idle = await restingMegabytes(daemon)
  memoryRow(`${name}: resident, idle for minutes`, idle, 'bare', median(bareMemory))
  const before = segment()
  const notes = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.md'))
  for (const path of notes.slice(0, MADE_ANEW)) appendFileSync(join(root, path), '\nchanged\n')
  const latest = performance.now() + BUILT_WITHIN_MS
  while (segment() === before) {
    if (performance.now() > latest) throw new Error(`${name}: the index was not built anew`)
    await sleep(1000)
  }
  await daemon.rests()
  await sleep(SETTLED_MS)
  const now = await restingMegabytes(daemon)
  memoryRow(`${name}: resident, 60 s after the index was built anew`, now, 'idle for minutes', idle)
  await daemon.stop()
}

async function readsAndSaves({ name, home, root, words }: Subject, daemon: RunningDaemon): Promise<void> {
  const bare = await startDaemon(BARE, folder)
  const request = quantile(await timed(REQUESTS, () => bare.get('/')), 0.5)
  await bare.stop()
  const calls: Record<string, string> = {
    'one folder of the tree': '/tree?depth=1',
    'read a note': `/notes/${encoded(words.note)}`,
  }
  for (const [what, path] of Object.entries(calls)) {
    const times = await timed(300, async () => {
      const { status } = await daemon.get(api(path))
      if (status !== 200) throw new Error(`${path} was answered ${status}`)
    })
    const p50 = quantile(times, 0.5)
    row(`${name}: ${what}, p50`, `${show(p50)} ms`, `bare request ${show(request)} ms`, p50 / request)
  }

  const written = quantile(await timed(SAVES, async () => plainWrite(join(home, 'plain'))), 0.5)
  const saves = await timed(SAVES, async (index) => {
    const { status } = await daemon.send('PUT', api(`/notes/bench-${index}.md`), { content: `saved ${index}` })
    if (status >= 300) throw new Error(`a save was answered ${status}`)
  })
  // A save over REST is a request as well.
  const least = written + request
  row(
    `${name}: save, p50`,
    `${show(quantile(saves, 0.5))} ms`,
    `plain write + bare request ${show(least)} ms`,
    quantile(saves, 0.5) / least,
  )
  await found(name, daemon, {
    'a save is found': (word) => daemon.send('PUT', api(`/notes/${word}.md`), { content: word }),
    'a change by another program is found': async (word) => writeFileSync(join(root, `${word}.md`), word),
  })

  const spawned = median(await timed(5, async () => gitSpawn()))
  const page = quantile(await timed(20, () => daemon.get(api(`/history/${encoded(words.note)}?limit=20`))), 0.5)
  row(`${name}: a page of the history, p50`, `${show(page)} ms`, `git ${show(spawned)} ms`, page / spawned)
}

/** The time from a change to the first search that finds it. */
async function found(
  name: string,
  daemon: RunningDaemon,
  changes: Record<string, (word: string) => Promise<unknown>>,
): Promise<void> {
  for (const [index, [what, change]] of Object.entries(changes).entries()) {
    const times = await timed(20, async (call) => {
      const word = `visible${'abcdefghijklmnopqrst'[call]}${index}`
      await change(word)
      const latest = performance.now() + FOUND_WITHIN_MS
      while (totalOf(await search(daemon, `${word} `)) === 0)
        if (performance.now() > latest) throw new Error(`${name}: ${what} too late`)
    })
    const [p50, p99] = [quantile(times, 0.5), quantile(times, 0.99)]
    row(`${name}: ${what}, p50 / p99`, `${show(p50)} / ${show(p99)} ms`, '', '')
  }
}

const totalOf = ({ body }: { body: Buffer }): number => (JSON.parse(body.toString()) as { total: number }).total

/** Starts a daemon; resolves when it has nothing left to do. */
async function startToRest({ name, home }: Subject): Promise<RunningDaemon> {
  const daemon = await startDaemon([bundle], home)
  await daemon.ready()
  row(`${name}: the rest of the first revisions written`, `${show(await daemon.rests())} ms`, '', '')
  for (let call = 0; call < REQUESTS; call++) await daemon.get('/api/health')
  await sleep(IDLE_MS)
  return daemon
}

/** Reports the memory of a bare process that has answered the requests and then rested. */
async function bareRests(): Promise<void> {
  const bare = await startDaemon(BARE, folder)
  for (let call = 0; call < REQUESTS; call++) await bare.get('/')
  await sleep(IDLE_MS)
  row('bare, at rest', `${(await bare.residentMegabytes()).toFixed(1)} MB`, '', '')
  await bare.stop()
}

async function measure(subject: Subject): Promise<void> {
  await starts(subject)
  const daemon = await startToRest(subject)
  memoryRow(`${subject.name}: resident, idle`, await daemon.residentMegabytes(), 'bare', median(bareMemory))
  await searches(subject, daemon)
  await readsAndSaves(subject, daemon)
  row(`${subject.name}: stop`, `${show(await daemon.stop())} ms`, 'limit 5000 ms', '')
  await rebuilds(subject)
  rmSync(subject.home, { recursive: true, force: true })
}

function generated(notes: number): Subject {
  const home = join(folder, String(notes))
  const root = join(home, 'vaults/v')
  mkdirSync(root, { recursive: true })
  return { name: `${notes} notes`, home, root, words: generateVault(root, notes) }
}

function copied(vault: string): Subject {
  const home = join(folder, 'own')
  const root = join(home, 'vaults/v')
  cpSync(vault, root, { recursive: true })
  const note = readdirSync(root, { recursive: true, encoding: 'utf8' }).find((path) => path.endsWith('.md'))
  if (note === undefined) throw new Error(`there is no note in ${vault}`)
  const words = {
    common: ['note', 'the', 'to'],
    middle: ['link', 'file', 'page'],
    rare: ['zettelkasten', 'latex', 'canvas'],
  }
  return { name: 'own vault', home, root, words: { ...words, note } }
}

for (const program of ['rg', 'git'])
  if (!has(program)) {
    console.error(
      `This bench compares with ${program}, which is not on the PATH. Install it, for example with apt-get.`,
    )
    process.exit(69)
  }
for (let round = 0; round < 3; round++) await bareStart()
await bareRests()
for (const notes of options.notes.split(',').filter((size) => size !== '')) await measure(generated(Number(notes)))
if (options.vault !== undefined) await measure(copied(options.vault))
printTable(['figure', 'measured', 'baseline', 'ratio'], rows)
rmSync(folder, { recursive: true, force: true })
