import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { startRelayedDaemon } from './relayed-daemon.ts'
import { startAgentWorld } from './agent-world.ts'

type Load = { calls: number; sessions: number }

/** A daemon ends the least recently used session beyond this number. */
const KEPT_SESSIONS = 100

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** Bytes in use after a full garbage collection, which also frees what V8 defers. */
async function heap(): Promise<number> {
  for (let round = 0; round < 4; round++) {
    await new Promise((resolve) => setImmediate(resolve))
    collect()
  }
  return process.memoryUsage().heapUsed + process.memoryUsage().external
}

const initialize = {
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'memory', version: '1' } },
}

/** A client that keeps no data about its calls. */
function plainClient(url: string, headers: Record<string, string> = {}) {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 })
  let lastId = 0
  type Answered = { status: number; session: string | undefined; body: string }
  const send = (message: object, session?: string): Promise<Answered> =>
    new Promise((resolve, reject) => {
      const more = session === undefined ? {} : { 'mcp-session-id': session }
      const common = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
      const sent = request(url, { method: 'POST', agent, headers: { ...common, ...headers, ...more } }, (response) => {
        const id = response.headers['mcp-session-id']
        const begun = typeof id === 'string' ? id : undefined
        text(response).then((body) => resolve({ status: response.statusCode ?? 0, session: begun, body }), reject)
      })
      sent.once('error', reject)
      sent.end(JSON.stringify({ jsonrpc: '2.0', id: ++lastId, ...message }))
    })
  return {
    begin: async (): Promise<string> => (await send(initialize)).session ?? '',
    call: async (session: string, name: string, args: object): Promise<void> => {
      const { status, body } = await send({ method: 'tools/call', params: { name, arguments: args } }, session)
      const isDone = status === 200 && body.includes('"structuredContent"') && !body.includes('"isError":true')
      if (!isDone) throw new Error(`${name} was answered ${status} ${body.slice(0, 300)}`)
    },
    close: () => agent.destroy(),
  }
}

/**
 * Makes calls, four at a time, each in the newest session. New sessions begin at even intervals and are never ended.
 */
async function work(client: ReturnType<typeof plainClient>, load: Load, call: { name: string; args: object }) {
  let session = await client.begin()
  const every = Math.max(1, Math.floor(load.calls / load.sessions))
  for (let at = 0; at < load.calls; at += 4) {
    if (Math.floor(at / every) > Math.floor((at - 4) / every)) session = await client.begin()
    await Promise.all([0, 1, 2, 3].map(() => client.call(session, call.name, call.args)))
  }
}

/** Bytes per idle session of a daemon, measured with as many sessions as it keeps. */
export async function bytesOfIdleSession(): Promise<number> {
  const held = 100
  const daemon = await startRelayedDaemon()
  const client = plainClient(`${daemon.urls.local}/mcp`)
  try {
    const before: number[] = []
    const after: number[] = []
    // The first rounds load code; the sessions of a round replace those of the round before.
    for (let round = 0; round < 3; round++) {
      const ids: string[] = []
      before.push(await heap())
      for (let count = 0; count < held; count++) ids.push(await client.begin())
      after.push(await heap())
      for (const id of ids)
        await fetch(`${daemon.urls.local}/mcp`, { method: 'DELETE', headers: { 'mcp-session-id': id } })
    }
    return (after.at(-1)! - before.at(-1)!) / held
  } finally {
    client.close()
    await daemon.close()
  }
}

/** The bytes by which a daemon grows between a tenth of a load and the whole load. */
export async function growthOfDaemon(load: Load): Promise<number> {
  const daemon = await startRelayedDaemon()
  const client = plainClient(`${daemon.urls.local}/mcp`)
  const read = { name: 'read_note', args: { vaultId: 'demo-vault', path: 'README.md' } }
  try {
    return await growth(client, load, read)
  } finally {
    client.close()
    await daemon.close()
  }
}

/** The same growth for the endpoint of the platform, with a daemon behind it. */
export async function growthOfPlatform(load: Load): Promise<number> {
  // Log lines that are kept would count as growth.
  const world = await startAgentWorld({ logLevel: 'error' })
  const ada = world.cp.person()
  await ada.signUp({ email: 'ada@example.org' })
  const { id, slug } = await world.addOrganization(ada, 'Acme')
  const { access } = await world.signIn(ada, { vaults: [{ orgId: id, vaultId: null }] })
  const url = `${world.cp.origin.replace('localhost', '127.0.0.1')}/mcp`
  const client = plainClient(url, { authorization: `Bearer ${access}` })
  const read = { name: 'read_note', args: { org: slug, vaultId: 'demo-vault', path: 'README.md' } }
  try {
    const asking = await client.begin()
    await client.call(asking, 'list_vaults', { org: slug }).catch(() => {})
    await world.approve(ada, id)
    return await growth(client, load, read)
  } finally {
    client.close()
    await world.stop()
  }
}

async function growth(client: ReturnType<typeof plainClient>, load: Load, call: { name: string; args: object }) {
  // Starts with the maximum number of sessions, so that only what later ones leave behind is measured.
  for (let count = 0; count < KEPT_SESSIONS; count++) await client.begin()
  const tenth = { calls: Math.ceil(load.calls / 10), sessions: Math.ceil(load.sessions / 10) }
  await work(client, tenth, call)
  const before = await heap()
  await work(client, load, call)
  return (await heap()) - before
}
