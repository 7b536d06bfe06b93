// Tool calls of an agent, compared with the same calls over REST, with an MCP server with one empty tool, and with
// calls through a control plane; and the memory of an idle session. --notes 10000 (the default) sets the size of the
// vault, --calls 100 the calls of a round.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { freePort } from '../test/support/free-port.ts'
import { bytesOfIdleSession } from '../test/support/mcp-memory.ts'
import { generateVault } from './daemon/vault-generator.ts'
import { httpCaller, mcpCaller } from './mcp/mcp-caller.ts'
import { platformEndpoint } from './mcp/platform-endpoint.ts'
import { alternate, printTable, quantile, spread } from './rounds.ts'

const { values: options } = parseArgs({
  options: { notes: { type: 'string', default: '10000' }, calls: { type: 'string', default: '100' } },
})
const CALLS = Number(options.calls)
const ROUNDS = 5
const program = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const home = mkdtempSync(join(tmpdir(), 'svc-bench-mcp-'))
const vault = generateVault(join(home, 'vaults/v'), Number(options.notes))

const [PORT, EMPTY_PORT] = [await freePort(), await freePort()]
const platform = await platformEndpoint()
const env = {
  ...platform.relay,
  PATH: process.env.PATH,
  SVC_HOME: home,
  SVC_PORT: String(PORT),
  SVC_LOG_LEVEL: 'error',
}
const children = [
  spawn(process.execPath, [program('../daemon/bin/svcd.js')], { env, stdio: 'inherit' }),
  spawn(process.execPath, [program('./mcp/empty-server.ts'), String(EMPTY_PORT)], { stdio: 'inherit' }),
]
process.on('exit', () => children.forEach((child) => child.kill('SIGKILL')))

async function until(address: string): Promise<void> {
  while (
    !(await fetch(address).then(
      ({ ok }) => ok,
      () => false,
    ))
  )
    await new Promise((resolve) => setTimeout(resolve, 100))
}
const origin = `http://127.0.0.1:${PORT}`
const emptyOrigin = `http://127.0.0.1:${EMPTY_PORT}`
await Promise.all([until(`${origin}/api/ready`), until(`${emptyOrigin}/api/health`)])

// The first versions of all notes are written to the history long after the vault is ready.
const vaultOf = async () =>
  (await (await fetch(`${origin}/api/vaults/v`)).json()) as { vault: { history: { state: string } } }
while ((await vaultOf()).vault.history.state !== 'ready') await new Promise((resolve) => setTimeout(resolve, 1000))

const tool = await mcpCaller(origin)
const empty = await mcpCaller(emptyOrigin)
const remote = await platform.connectAgent()
const rest = httpCaller(origin)
const json = { 'content-type': 'application/json', accept: 'application/json' }
const ok = async (answer: Promise<{ status: number; text: string }>) => {
  const { status, text } = await answer
  if (status >= 300) throw new Error(`${status}: ${text.slice(0, 300)}`)
  return JSON.parse(text) as Record<string, unknown>
}
const url = `/api/vaults/v/notes/${vault.note.split('/').map(encodeURIComponent).join('/')}`
const target = { vaultId: 'v', path: vault.note }
const words = [...vault.middle.slice(0, 5), ...vault.rare.slice(0, 5)]
const wordOf = (call: number) => words[call % words.length]!

type Surface = 'mcp' | 'rest' | 'remote'
async function note(path: string, call: Surface) {
  const content = `# ${call}\n\nvalue: 0 end\n`
  return (await tool('create_note', { vaultId: 'v', path, content }))['baseline'] as string
}
const edited = {
  mcp: await note('bench/mcp.md', 'mcp'),
  rest: await note('bench/rest.md', 'rest'),
  remote: await note('bench/remote.md', 'remote'),
}
const counts = { mcp: 0, rest: 0, remote: 0 }
const nextEdit = (by: Surface) => {
  const edits = [{ oldText: `value: ${counts[by]} end`, newText: `value: ${++counts[by]} end` }]
  return { baseline: edited[by], edits }
}

const calls: Record<string, (call: number) => Promise<unknown>> = {
  'an empty tool of a bare server': () => empty('nothing', {}),
  read_note: () => tool('read_note', target),
  'GET a note': () => ok(rest('GET', url, undefined, json)),
  search_notes: (call) => tool('search_notes', { vaultId: 'v', q: wordOf(call) }),
  'GET search': (call) => ok(rest('GET', `/api/vaults/v/search?q=${wordOf(call)}`, undefined, json)),
  edit_note: async () => {
    const { baseline } = await tool('edit_note', { vaultId: 'v', path: 'bench/mcp.md', ...nextEdit('mcp') })
    edited.mcp = baseline as string
  },
  'PATCH a note': async () => {
    const answer = await ok(rest('PATCH', '/api/vaults/v/notes/bench/rest.md', nextEdit('rest'), json))
    edited.rest = (answer['note'] as { baseline: string }).baseline
  },
  'read_note, control plane': () => remote('read_note', target),
  'search_notes, control plane': (call) => remote('search_notes', { vaultId: 'v', q: wordOf(call) }),
  'edit_note, control plane': async () => {
    const edit = { vaultId: 'v', path: 'bench/remote.md', ...nextEdit('remote') }
    edited.remote = (await remote('edit_note', edit))['baseline'] as string
  },
}

const times: Record<string, number[]> = {}
const contenders = Object.fromEntries(
  Object.entries(calls).map(([name, make]) => [
    name,
    async () => {
      const from = performance.now()
      for (let call = 0; call < CALLS; call++) {
        const began = performance.now()
        await make(call)
        ;(times[name] ??= []).push(performance.now() - began)
      }
      return (CALLS * 1000) / (performance.now() - from)
    },
  ]),
)
const rates = await alternate(contenders, ROUNDS)
const rate = (name: string) => spread(rates[name]!).median
const baselines: Record<string, [string, number]> = {
  read_note: ['an empty tool of a bare server', 0.5],
  search_notes: ['GET search', 0.7],
  edit_note: ['PATCH a note', 0.7],
  'read_note, control plane': ['read_note', 0.25],
  'search_notes, control plane': ['search_notes', 0.25],
  'edit_note, control plane': ['edit_note', 0.25],
}
printTable(
  ['call', 'calls per second', 'p99 in ms', 'beside', 'ratio', 'target'],
  Object.keys(calls).map((name) => {
    const [beside, least] = baselines[name] ?? ['', 0]
    const sorted = times[name]!.slice(CALLS).toSorted((a, b) => a - b)
    const ratio = beside === '' ? '' : `${(rate(name) / rate(beside)).toFixed(2)}×`
    return [
      name,
      rate(name).toFixed(0),
      quantile(sorted, 0.99).toFixed(1),
      beside,
      ratio,
      least === 0 ? '' : `≥ ${least}×`,
    ]
  }),
)
await platform.stop()
await Promise.all(
  children.map((child) => {
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    return ended
  }),
)
rmSync(home, { recursive: true, force: true })
console.log(`\nAn idle session takes ${((await bytesOfIdleSession()) / 1024).toFixed(0)} KB (target ≤ 40 KB).`)
process.exit(0)
