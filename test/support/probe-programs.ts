// Programs that respond at the status listener as a managed daemon does, without being one.
const PRELUDE = `
import { createServer } from 'node:http'
import { appendFileSync, readFileSync } from 'node:fs'
const { SVC_HOME: home, SVC_PROBE_HOST: host, SVC_PROBE_PORT: port, SVC_RELAY_TOKEN_FILE: secret } = process.env
const note = (text) => appendFileSync(home + '/told', text + '\\n')
const file = (name) => readFileSync(secret + '/' + name, 'utf8')
note('start ' + VERSION)
process.on('disconnect', () => process.exit(0))
process.on('SIGTERM', () => { note('stop ' + VERSION); process.exit(0) })
const status = () => ({
  version: VERSION, ready: true, durableAsOf: new Date().toISOString(),
  relay: { connected: CONNECTED, keyGeneration: Number(file('generation')) },
  storage: { usedBytes: 1000, freeBytes: 1000 },
})
createServer((request, response) => {
  const answer = (code, body) => { response.writeHead(code); response.end(JSON.stringify(body)) }
  if (request.url === '/health') return answer(200, { ok: true })
  if (request.url === '/ready') return answer(READY ? 200 : 503, { ok: READY })
  if (request.headers.authorization !== 'Bearer ' + file('probe-token')) return answer(401, { ok: false })
  if (request.url === '/status') return answer(200, status())
  if (request.method === 'POST' && request.url === '/flush') {
    note('flush ' + VERSION)
    return answer(FLUSHES ? 200 : 500, { durableAsOf: new Date().toISOString() })
  }
  answer(404, { ok: false })
}).listen(Number(port), host)
`

type Behaviour = { version: string; ready?: false; connected?: false; flushes?: false; crashes?: true }

/** Source of a program with that behaviour. */
export function probeProgram({ version, ready, connected, flushes, crashes }: Behaviour): string {
  const constants = [
    `const VERSION = ${JSON.stringify(version)}`,
    `const READY = ${ready ?? true}`,
    `const CONNECTED = ${connected ?? true}`,
    `const FLUSHES = ${flushes ?? true}`,
  ]
  return [...constants, PRELUDE, crashes ? 'setTimeout(() => process.exit(3), 50)' : ''].join('\n')
}
