import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'

/** Makes requests over one keep-alive connection. */
export function httpCaller(origin: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  return (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; text: string }>((resolve, reject) => {
      const outgoing = request(`${origin}${path}`, { method, agent, headers }, async (response) =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text: await text(response) }),
      )
      outgoing.on('error', reject)
      outgoing.end(body === undefined ? undefined : JSON.stringify(body))
    })
}

const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

/** Calls tools in one session, without the cost of a client library. */
export async function mcpCaller(origin: string, more: Record<string, string> = {}) {
  const send = httpCaller(origin)
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } }
  const begun = await send(
    'POST',
    '/mcp',
    { jsonrpc: '2.0', id: 0, method: 'initialize', params },
    { ...HEADERS, ...more },
  )
  const headers = { ...HEADERS, ...more, 'mcp-session-id': String(begun.headers['mcp-session-id']) }
  await send('POST', '/mcp', { jsonrpc: '2.0', method: 'notifications/initialized' }, headers)
  let id = 0

  return async (name: string, args: object): Promise<Record<string, unknown>> => {
    const message = { jsonrpc: '2.0', id: ++id, method: 'tools/call', params: { name, arguments: args } }
    const answer = await send('POST', '/mcp', message, headers)
    const data = /^data: (.*)$/m.exec(answer.text)?.[1] ?? answer.text
    const { result } = JSON.parse(data) as {
      result?: { isError?: boolean; structuredContent?: Record<string, unknown> }
    }
    if (!result || result.isError) throw new Error(`${name}: ${data.slice(0, 300)}`)
    return result.structuredContent ?? {}
  }
}
