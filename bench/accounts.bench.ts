// Entries, reads of settings and sign-ins, beside bare Fastify routes that send the same statements to the same
// Postgres; size and first paint of the web app. --calls 500 (the default) sets the calls of a round (a tenth of it for
// sign-ins), --rounds 5 the number of rounds.
import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { measureWebApp } from './accounts/measure-web-app.ts'
import type { BareAnswers, BareRoute } from './accounts/bare-process.ts'
import type { ControlPlaneAnswers } from './accounts/control-plane-process.ts'
import type { Batch } from './accounts/record-statements.ts'
import { startPart } from './part.ts'
import { alternate, printTable, quantile, spread } from './rounds.ts'

const { values: options } = parseArgs({
  options: { calls: { type: 'string', default: '500' }, rounds: { type: 'string', default: '5' } },
})
const CALLS = Number(options.calls)
const ROUNDS = Number(options.rounds)
const AT_ONCE = 8
const TARGET = 0.8
const RECORDINGS = 5
const PASSWORD = 'correct horse battery staple'
const here = (path: string) => new URL(path, import.meta.url)

const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE })
let calls = 0

type Sent = { method: string; url: string; headers?: Record<string, string>; body?: object | undefined }

/** Makes one call; each call comes from another address. Throws unless the call succeeds. */
async function send({ method, url, headers = {}, body }: Sent): Promise<string> {
  calls += 1
  const { port, host, pathname } = new URL(url)
  const from = `10.${(calls >> 16) & 255}.${(calls >> 8) & 255}.${calls & 255}`
  const all = { host, 'x-forwarded-for': from, ...(body && { 'content-type': 'application/json' }), ...headers }
  const answer = await new Promise<{ status: number; text: string }>((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, method, path: pathname, headers: all, agent }, (response) => {
      text(response).then((read) => resolve({ status: response.statusCode ?? 0, text: read }), reject)
    })
    sent.once('error', reject)
    sent.end(body && JSON.stringify(body))
  })
  if (answer.status !== 200) throw new Error(`${method} ${pathname}: ${answer.status} ${answer.text.slice(0, 300)}`)
  return answer.text
}

const control = await startPart<ControlPlaneAnswers>({
  program: here('./accounts/control-plane-process.ts'),
  options: {},
})
const origin = await control.ask('origin')
const people = await control.ask('people')

const home = join(await control.ask('folder'), 'home')
mkdirSync(join(home, 'vaults/v'), { recursive: true })
writeFileSync(join(home, 'vaults/v/README.md'), '# Bench\n')
const daemonPort = 20_000 + (process.pid % 10_000)
const daemon = spawn(process.execPath, [fileURLToPath(here('../daemon/bin/svcd.js'))], {
  env: {
    PATH: process.env.PATH,
    SVC_HOME: home,
    SVC_PORT: String(daemonPort),
    SVC_LOG_LEVEL: 'error',
    SVC_RELAY_URL: `${origin}/t/${people.orgId}`,
    SVC_RELAY_TOKEN_FILE: people.keyFile,
  },
  stdio: 'inherit',
})
process.on('exit', () => daemon.kill('SIGKILL'))
while (!(await control.ask('connected', people.orgId))) await new Promise((resolve) => setTimeout(resolve, 100))

const bare = await startPart<BareAnswers>({
  program: here('./accounts/bare-process.ts'),
  options: { databaseUrl: await control.ask('databaseUrl') },
})
const bareOrigin = await bare.ask('origin')

const signedIn = { cookie: people.cookie, origin }
const credentials = () => ({ email: people.emails[calls % people.emails.length]!, password: PASSWORD })
type Measured = { calls: number; ours: () => Sent; bare: () => Sent; besides: Partial<BareRoute> }
const routes: Record<string, Measured> = {
  'settings read': {
    calls: CALLS,
    ours: () => ({ method: 'GET', url: `${origin}/api/settings`, headers: signedIn }),
    bare: () => ({ method: 'GET', url: `${bareOrigin}/settings%20read` }),
    besides: {},
  },
  'entry minted': {
    calls: CALLS,
    ours: () => ({ method: 'POST', url: `${origin}/api/orgs/${people.orgSlug}/vaults/v/entry`, headers: signedIn }),
    bare: () => ({ method: 'POST', url: `${bareOrigin}/entry%20minted` }),
    besides: { daemon: `http://127.0.0.1:${daemonPort}/api/vaults` },
  },
  'sign-in': {
    // Hashing a password takes about twenty times as long as any other call.
    calls: Math.ceil(CALLS / 10),
    ours: () => ({ method: 'POST', url: `${origin}/api/auth/sign-in/email`, headers: { origin }, body: credentials() }),
    bare: () => ({ method: 'POST', url: `${bareOrigin}/sign-in`, body: credentials() }),
    besides: { password: people.passwordHash ?? '' },
  },
}

/**
 * Records the statements of one call. Takes the shortest of several recordings, because other work may fall into one.
 */
async function record(name: string): Promise<{ batches: Batch[]; body: unknown }> {
  const recorded: { batches: Batch[]; body: unknown }[] = []
  for (let turn = 0; turn < RECORDINGS; turn += 1) {
    await control.ask('startRecording')
    const body = JSON.parse(await send(routes[name]!.ours())) as unknown
    recorded.push({ batches: await control.ask('endRecording'), body })
  }
  return recorded.toSorted((a, b) => a.batches.flat().length - b.batches.flat().length)[0]!
}

const statements: Record<string, number> = {}
for (const name of Object.keys(routes)) {
  const recorded = await record(name)
  statements[name] = recorded.batches.flat().length
  await bare.ask('mount', { name, ...recorded, ...routes[name]!.besides })
}

const times: Record<string, number[]> = {}
const contender = (key: string, count: number, make: () => Sent) => async () => {
  const from = performance.now()
  let left = count
  const work = async () => {
    while (left-- > 0) {
      const began = performance.now()
      await send(make())
      ;(times[key] ??= []).push(performance.now() - began)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return (count * 1_000) / (performance.now() - from)
}
const rates: Record<string, number[]> = {}
for (const [name, route] of Object.entries(routes)) {
  process.stderr.write(`${name} …\n`)
  const keys = [`${name}, ours`, `${name}, bare`] as const
  Object.assign(
    rates,
    await alternate(
      {
        [keys[0]]: contender(keys[0], route.calls, route.ours),
        [keys[1]]: contender(keys[1], route.calls, route.bare),
      },
      ROUNDS,
    ),
  )
}
const rate = (key: string) => spread(rates[key]!).median
const p99 = (key: string, warmUp: number) =>
  quantile(
    times[key]!.slice(warmUp).toSorted((a, b) => a - b),
    0.99,
  ).toFixed(1)

printTable(
  [
    '8 in flight',
    'statements',
    'per second',
    'p99 in ms',
    'bare, per second',
    'bare, p99 in ms',
    'ratio',
    'target',
    'met',
  ],
  Object.keys(routes).map((name) => {
    const [ours, beside] = [`${name}, ours`, `${name}, bare`]
    const ratio = rate(ours) / rate(beside)
    const met = ratio >= TARGET ? 'yes' : 'no'
    const { calls: warmUp } = routes[name]!
    const rest = [
      p99(ours, warmUp),
      rate(beside).toFixed(0),
      p99(beside, warmUp),
      `${ratio.toFixed(2)}×`,
      `≥ ${TARGET}×`,
      met,
    ]
    return [name, statements[name]!, rate(ours).toFixed(0), ...rest]
  }),
)
console.log()
await measureWebApp({ origin, bareOrigin, cookie: people.cookie, rounds: ROUNDS })

daemon.kill('SIGTERM')
await bare.stop()
await control.stop()
process.exit(0)
