import { randomCall } from './agent-calls.ts'
import { seededRandom, type Random } from './hostile-text.ts'
import { callMany } from './call-many.ts'

/** An endpoint to fuzz: its address, the headers of every request, and arguments that every call gets in addition. */
export type FuzzedEndpoint = {
  name: string
  url: string
  headers: Record<string, string>
  more?: (random: Random) => Record<string, unknown>
  /** Text that no response may contain. */
  secret: string
}
type Counts = { calls: number; done: number; refused: number; rpcErrors: number }
type Failure = { status: number; text: string; sent: string }

/** The number of messages in flight. A single message would wait until each of three processes is scheduled. */
export const AT_ONCE = 8
const INTERNAL = -32603

const deep = (open: string, close: string, depth: number) => open.repeat(depth) + close.repeat(depth)
const message = (more: object) => JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', ...more })

/** Malformed messages, each with the ways in which it may be refused. */
const malformed: readonly string[] = [
  '',
  '{',
  'null',
  '"text"',
  '1e999',
  '[]',
  '[[]]',
  '[null]',
  '{}',
  deep('[', ']', 50_000),
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${deep('{"a":', '}', 20_000).replace('}', '1}')}}`,
  message({ method: 7 }),
  message({ method: '__proto__' }),
  message({ method: 'x'.repeat(1_000_000) }),
  message({ id: {} }),
  message({ id: null }),
  message({ id: 1.5 }),
  message({ id: -1 }),
  message({ id: Number.MAX_SAFE_INTEGER }),
  message({ id: 'x'.repeat(10_000) }),
  message({ jsonrpc: '1.0' }),
  message({ params: [] }),
  message({ params: 'x' }),
  message({ method: 'tools/call', params: { name: 'toString', arguments: {} } }),
  message({ method: 'tools/call', params: { name: '\ud800', arguments: { path: '\udc00' } } }),
  message({ method: 'tools/call', params: { name: 'read_note', arguments: 'x' } }),
  message({ method: 'resources/read', params: { uri: 'vault://%' } }),
  message({ method: 'resources/read', params: { uri: `vault://demo-vault/${'../'.repeat(50)}etc/passwd` } }),
  message({ method: 'resources/list', params: { cursor: '-1' } }),
  message({ method: 'resources/subscribe', params: { uri: 'x'.repeat(100_000) } }),
  message({ method: 'prompts/get', params: { name: 'constructor', arguments: { a: '1' } } }),
  message({
    method: 'completion/complete',
    params: { ref: { type: 'ref/prompt', name: 'x' }, argument: { name: 'path', value: '\0' } },
  }),
  message({ method: 'notifications/cancelled', params: { requestId: {} } }),
  `[${Array.from({ length: 20 }, (_, id) => message({ id, method: 'nothing' })).join(',')}]`,
  `[${Array.from({ length: 100 }, (_, id) => message({ id })).join(',')}]`,
]

/** Sends many hostile messages, some of them at once. Throws for a bug: a 5xx, an internal error, or a secret. */
export async function fuzzMcp(endpoint: FuzzedEndpoint, { calls, seed }: { calls: number; seed: number }) {
  const random = seededRandom(seed)
  const counts: Counts = { calls: 0, done: 0, refused: 0, rpcErrors: 0 }
  await callMany({ calls, atOnce: AT_ONCE, name: `fuzz of ${endpoint.name}` }, async (at) => {
    const body = at % 8 === 0 ? malformed[(at / 8) % malformed.length]! : toolCall(random, { endpoint, id: at })
    const { status, text } = await send(endpoint, body)
    const problem = problemOf({ status, text, sent: body }, endpoint.secret)
    if (problem !== undefined) throw new Error(`call ${at} (seed ${seed}): ${problem}`)
    counts.calls++
    if (text.includes('"isError":true')) counts.refused++
    else if (text.includes('"structuredContent"')) counts.done++
    else if (text.includes('"error"')) counts.rpcErrors++
  })
  return counts
}

type FuzzedCall = { id: number; name: string; args: object }

/** Calls one tool; true if the call succeeded. A session refuses an id that is in flight. */
export async function callFuzzed(endpoint: FuzzedEndpoint, { id, name, args }: FuzzedCall): Promise<boolean> {
  const body = message({ id, method: 'tools/call', params: { name, arguments: args } })
  const { status, text } = await send(endpoint, body)
  const problem = problemOf({ status, text, sent: body }, endpoint.secret)
  if (problem !== undefined) throw new Error(problem)
  return text.includes('"structuredContent"') && !text.includes('"isError":true')
}

function toolCall(random: Random, { endpoint, id }: { endpoint: FuzzedEndpoint; id: number }): string {
  const { tool, arguments: args } = randomCall(random)
  return message({
    id,
    method: 'tools/call',
    params: { name: tool, arguments: { ...args, ...endpoint.more?.(random) } },
  })
}

async function send({ url, headers }: FuzzedEndpoint, body: string): Promise<{ status: number; text: string }> {
  const post = async () => {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      body,
      signal: AbortSignal.timeout(60_000),
    })
    return { status: answer.status, text: await answer.text() }
  }
  // A server may close an idle connection at the moment when the next request begins, and fetch does not repeat a POST.
  // A message that itself ends its connection fails twice.
  return post().catch(post)
}

function problemOf({ status, text, sent }: Failure, secret: string): string | undefined {
  const context = `${status} ${text.slice(0, 300)} to ${sent.slice(0, 500)}`
  if (status >= 500) return context
  if (text.includes(secret)) return `a secret is shown: ${context}`
  const isBug = text.includes(`"code":${INTERNAL}`) || text.includes('"code":"internal"')
  if (isBug) return context
  const isRpc = text === '' || text.includes('"jsonrpc":"2.0"')
  return status >= 400 && !isRpc ? `no JSON-RPC: ${context}` : undefined
}
