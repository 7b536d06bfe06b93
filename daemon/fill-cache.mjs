// Starts the daemon once and uses it, so that V8's compile cache (NODE_COMPILE_CACHE) holds all that a start and the
// first requests load. An image runs this while it is built: at run time its root is read-only.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const vault = '/api/vaults/demo-vault'
const PATIENCE_MS = 120_000

const daemon = spawn(process.execPath, [fileURLToPath(new URL('svcd.mjs', import.meta.url))], {
  stdio: 'inherit',
  env: { ...process.env, SVC_PORT: '0' },
})
const over = AbortSignal.timeout(PATIENCE_MS)
const statusFile = join(process.env.SVC_HOME, 'daemon/status.json')

/** Where this very daemon listens, once it is ready. */
async function readyAt() {
  while (daemon.exitCode === null) {
    over.throwIfAborted()
    const status = await readFile(statusFile, 'utf8').then(JSON.parse, () => undefined)
    if (status?.pid === daemon.pid && (await fetch(`${status.address}/api/ready`, { signal: over })).ok)
      return status.address
    await sleep(100)
  }
  throw new Error(`svcd ended with ${daemon.exitCode}`)
}

let address

/** A request that must succeed, or the cache would lack what it should have loaded. */
async function use(path, options) {
  const response = await fetch(address + path, { ...options, signal: over })
  const text = await response.text()
  if (!response.ok) throw new Error(`${path} got ${response.status}: ${text}`)
  return text
}

const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
const clientInfo = { name: 'fill-cache', version: '1' }
const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }
try {
  address = await readyAt()
  const page = await use('/', { headers: { accept: 'text/html' } })
  for (const [asset] of page.matchAll(/\/assets\/[\w.-]+\.js/g)) await use(asset)
  for (const path of ['/api/vaults', `${vault}/tree`, `${vault}/notes/README.md`, `${vault}/search?q=welcome`])
    await use(path)
  const headers = { ...json, 'if-none-match': '*' }
  await use(`${vault}/notes/one.md`, { method: 'PUT', headers, body: JSON.stringify({ content: '# One\n' }) })
  const initialize = { jsonrpc: '2.0', id: 1, method: 'initialize', params }
  await use('/mcp', { method: 'POST', headers: json, body: JSON.stringify(initialize) })
} finally {
  // A process that ends by itself writes the cache.
  daemon.kill('SIGTERM')
}
if (daemon.exitCode === null) await once(daemon, 'exit')
if (daemon.exitCode !== 0) throw new Error(`svcd ended with ${daemon.exitCode}`)
