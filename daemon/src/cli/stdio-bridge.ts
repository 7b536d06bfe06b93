/* oxlint-disable unicorn/prefer-add-event-listener -- the transports of the SDK are no event targets */
import { setTimeout as sleep } from 'node:timers/promises'
import { StreamableHTTPClientTransport, StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js'
import {
  isInitializeRequest,
  isJSONRPCRequest,
  isJSONRPCResponse,
  isJSONRPCErrorResponse,
  type JSONRPCMessage,
  type RequestId,
} from '@modelcontextprotocol/sdk/types.js'
import { lostCall } from '../mcp/lost-call.ts'
import { patientRequest } from './patient-request.ts'

type Options = {
  /** The URL of the daemon; starts one if none runs. */
  address(): Promise<string>
  /** The URL of the daemon that runs, if one does. */
  running(): Promise<string | undefined>
  /** Reports problems to a person; standard output belongs to the protocol. */
  report(line: string): void
}

/** The session of the daemon, or one that is being opened. */
type Remote = Promise<StreamableHTTPClientTransport>

const INTERNAL = -32603
const LOOK_MS = { first: 500, longest: 15_000 }

/**
 * Passes MCP messages unchanged between standard input and output and a daemon, until the input ends. After a restart
 * of the daemon, its session is opened again and follows the same resources, without the client noticing. A call in
 * flight is reported as lost and never repeated, because it may have taken effect.
 */
export async function bridgeStdio({ address, running, report }: Options): Promise<void> {
  const client = new StdioServerTransport()
  const waiting = new Set<RequestId>()
  let initialize: JSONRPCMessage | undefined
  let remote: Remote | undefined
  const opened = new Set<StreamableHTTPClientTransport>()
  let newest: StreamableHTTPClientTransport | undefined
  /** The daemon has responded to `initialize`. */
  let isBegun = false
  const followed = new Set<string>()
  let asked = 0
  let isOver = false

  const tell = (message: JSONRPCMessage) => void client.send(message).catch(() => {})
  const refuse = (id: RequestId, message: string) => {
    if (waiting.delete(id)) tell({ jsonrpc: '2.0', id, error: { code: INTERNAL, message } })
  }
  const loseAll = () => {
    for (const id of waiting) refuse(id, lostCall().message)
  }

  function follow(message: JSONRPCMessage): void {
    const uri = 'method' in message ? message.params?.['uri'] : undefined
    if (!('method' in message) || typeof uri !== 'string') return
    if (message.method === 'resources/subscribe') followed.add(uri)
    if (message.method === 'resources/unsubscribe') followed.delete(uri)
  }

  async function open(url: string | undefined): Remote {
    const server = new URL(`${url ?? (await address())}/mcp`)
    const transport = new StreamableHTTPClientTransport(server, { fetch: localFetch })
    /** Requests of the bridge itself. Their responses are not for the client. */
    const own = new Map<RequestId, () => void>()
    transport.onmessage = (message) => {
      if (isJSONRPCResponse(message) || isJSONRPCErrorResponse(message)) {
        const id = message.id ?? ''
        const version = isJSONRPCResponse(message) ? message.result['protocolVersion'] : undefined
        if (typeof version === 'string') transport.setProtocolVersion(version)
        const done = own.get(id)
        if (done) return done()
        if (typeof version === 'string') isBegun = true
        waiting.delete(id)
      }
      tell(message)
    }
    transport.onerror = (error) => {
      if (newest !== transport) return
      // The SDK gives its stream up.
      if (error.message.startsWith('Maximum reconnection attempts')) return void followAgain()
      if (!/disconnected|terminated/i.test(error.message)) return
      for (const done of own.values()) done()
      loseAll()
    }
    newest = transport
    opened.add(transport)
    await transport.start()
    const ask = async (message: object) => {
      const id = `svcd-mcp-${(asked += 1)}`
      const answered = Promise.withResolvers<void>()
      own.set(id, answered.resolve)
      await transport.send({ ...message, jsonrpc: '2.0', id } as JSONRPCMessage)
      await answered.promise
    }
    if (!initialize || !isBegun) return transport
    try {
      await ask(initialize)
      await transport.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
      for (const uri of followed) {
        await ask({ method: 'resources/subscribe', params: { uri } })
        // Nobody has told of changes since the session before ended.
        tell({ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri } })
      }
      return transport
    } catch (error) {
      await close(transport)
      throw error
    }
  }

  async function close(transport: StreamableHTTPClientTransport): Promise<void> {
    opened.delete(transport)
    await transport.close()
  }

  /** Opens a session in place of one that is gone. */
  function begin({ gone, url }: { gone?: Remote | undefined; url?: string } = {}): Remote {
    const opening = open(url)
    remote = opening
    // Not before: its other messages are still to learn that the session is gone.
    const leave = () => drop(gone)
    opening.then(leave, () => {
      if (remote === opening) remote = undefined
      leave()
    })
    return opening
  }

  /** The first to notice that a session is gone opens a new one; the others wait for it. */
  const renew = (gone: Remote | undefined, url?: string): Remote =>
    remote === undefined || remote === gone ? begin({ gone, ...(url !== undefined && { url }) }) : remote

  /** A client that waits for changes sends nothing. It does not start a daemon that a person has stopped, either. */
  async function followAgain(): Promise<void> {
    const gone = remote
    for (let pause = LOOK_MS.first; ; pause = Math.min(pause * 2, LOOK_MS.longest)) {
      const url = await running().catch(() => undefined)
      if (isOver || followed.size === 0) return
      try {
        // Perhaps a message of the client was first.
        const isRenewed = remote !== undefined && remote !== gone
        if (isRenewed || url !== undefined) return void (await renew(gone, url))
      } catch {
        // The daemon has ended again.
      }
      await sleep(pause, undefined, { ref: false })
    }
  }

  function drop(old: Remote | undefined): void {
    if (remote === old) remote = undefined
    void old?.then(close).catch(() => {})
  }

  async function pass(message: JSONRPCMessage): Promise<void> {
    const session = remote ?? begin()
    try {
      await (await session).send(message)
    } catch (error) {
      if (isUndelivered(error)) return (await renew(session)).send(message)
      // Only this message failed. If the session is gone, the next one shows it.
      if (!(error instanceof StreamableHTTPError) && !isCut(error)) drop(session)
      throw error
    }
  }

  client.onmessage = (message) => {
    if (isInitializeRequest(message)) {
      initialize = message
      isBegun = false
      followed.clear()
    }
    follow(message)
    if (isJSONRPCRequest(message)) waiting.add(message.id)
    pass(message).catch((error: unknown) => {
      const told = problemOf(error)
      report(told)
      if (isJSONRPCRequest(message)) refuse(message.id, told)
    })
  }
  const ended = new Promise<void>((resolve) => {
    process.stdin.once('end', resolve)
    process.stdin.once('close', resolve)
  })
  await client.start()
  await ended
  isOver = true
  await remote?.catch(() => {})
  const end = async (transport: StreamableHTTPClientTransport) => {
    await transport.terminateSession().catch(() => {})
    await transport.close()
  }
  await Promise.all([...opened].map(end))
  await client.close()
}

/** True if the connection ended after the daemon may have read the message. */
const isCut = (error: unknown): boolean =>
  (error as { code?: string }).code === 'ECONNRESET' || (error as Error).name === 'AbortError'

/** Why a message failed, in the words of the daemon if it refused it. */
function problemOf(error: unknown): string {
  if (isCut(error)) return lostCall().message
  const { message } = error as Error
  if (!(error instanceof StreamableHTTPError)) return `The daemon cannot be reached: ${message}`
  try {
    const body = JSON.parse(message.slice(message.indexOf('{'))) as { error?: { message?: string } }
    return body.error?.message ?? message
  } catch {
    return message
  }
}

/** As `fetch`, to a daemon of this machine. The SDK sends text alone. */
const localFetch: FetchLike = (url, { method = 'GET', headers, body, signal } = {}) =>
  patientRequest(url, {
    method,
    headers: Object.fromEntries(new Headers(headers)),
    ...(typeof body === 'string' && { body }),
    ...(signal && { signal }),
  })

/** True if the daemon has not processed a message: the session is unknown to it, or it does not run. */
function isUndelivered(error: unknown): boolean {
  if (error instanceof StreamableHTTPError) return error.code === 404
  return (error as { code?: string }).code === 'ECONNREFUSED'
}
