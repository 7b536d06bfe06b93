/** A client of the MCP endpoint that sends exactly what it is told, in any protocol version. */
export type McpMessage = {
  id?: number | string | null
  method?: string
  params?: Record<string, unknown>
  result?: Record<string, any> // eslint-disable-line typescript/no-explicit-any -- tests look into responses freely
  error?: { code: number; message: string; data?: unknown }
}

const MODERN = '2026-07-28'
const META = {
  'io.modelcontextprotocol/protocolVersion': MODERN,
  'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

/**
 * Opens a session in one protocol version. Version 2026-07-28 has no sessions, so there every request names the client.
 */
export async function mcpSession(url: string, version: string, headers: Record<string, string> = {}) {
  let nextId = 1
  const common = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...headers,
  }
  const session: Record<string, string> = {}

  const post = (message: object, more: Record<string, string> = {}, signal?: AbortSignal): Promise<Response> =>
    fetch(url, {
      method: 'POST',
      headers: { ...common, ...session, ...more },
      body: JSON.stringify(message),
      ...(signal && { signal }),
    })

  /** Sends a request and returns the open response. */
  const open = (method: string, params: Record<string, unknown> = {}, signal?: AbortSignal): Promise<Response> => {
    const id = nextId++
    if (version !== MODERN) return post({ jsonrpc: '2.0', id, method, params }, {}, signal)
    const name = params['name'] ?? params['uri']
    const { _meta: given, ...rest } = params
    const names = { 'mcp-method': method, ...(typeof name === 'string' && { 'mcp-name': name }) }
    const meta = { ...META, ...(given as object | undefined) }
    return post({ jsonrpc: '2.0', id, method, params: { ...rest, _meta: meta } }, names, signal)
  }

  const ask = async (method: string, params: Record<string, unknown> = {}): Promise<McpMessage> => {
    const response = await open(method, params)
    let last: McpMessage = {}
    for await (const message of messagesOf(response)) if (message.id !== undefined) last = message
    return last
  }

  if (version === MODERN) session['mcp-protocol-version'] = MODERN
  else {
    const params = { protocolVersion: version, capabilities: {}, clientInfo: { name: 'raw', version: '1' } }
    const begun = await post({ jsonrpc: '2.0', id: 0, method: 'initialize', params })
    session['mcp-session-id'] = begun.headers.get('mcp-session-id') ?? ''
    session['mcp-protocol-version'] = version
    await begun.text()
    await post({ jsonrpc: '2.0', method: 'notifications/initialized' }).then((answer) => answer.text())
  }

  return {
    open,
    ask,
    post,
    lastId: () => nextId - 1,
    /** The headers that name the session in a request. */
    headers: session,
    /** The stream that notifies a session of changes. */
    stream: (signal: AbortSignal, method: 'GET' | 'HEAD' = 'GET') =>
      fetch(url, { method, headers: { ...common, ...session }, signal }),
    /** Calls a tool; returns its structured result. */
    async tool(name: string, args: Record<string, unknown> = {}) {
      const { result, error } = await ask('tools/call', { name, arguments: args })
      if (result === undefined) throw new Error(`${name}: ${JSON.stringify(error)}`)
      return { isError: result['isError'] === true, ...result['structuredContent'] } as Record<string, any> // eslint-disable-line typescript/no-explicit-any -- tests look into responses freely
    },
  }
}

export type McpSession = Awaited<ReturnType<typeof mcpSession>>

/** The messages of a response as they arrive, whether it is JSON or a stream of events. */
export async function* messagesOf(response: Response): AsyncGenerator<McpMessage> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
    const text = await response.text()
    if (text !== '') yield JSON.parse(text) as McpMessage
    return
  }
  let rest = ''
  const decoder = new TextDecoder()
  for await (const chunk of response.body ?? []) {
    rest += decoder.decode(chunk, { stream: true })
    const lines = rest.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines)
      if (line.startsWith('data:') && line.length > 6) yield JSON.parse(line.slice(5)) as McpMessage
  }
}
