// The lower bound for any MCP server on the SDK: one session, one tool that does nothing.
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { CallToolRequestSchema } from '@modelcontextprotocol/sdk/types.js'

const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: randomUUID })
const server = new Server({ name: 'empty', version: '1' }, { capabilities: { tools: {} } })
server.setRequestHandler(CallToolRequestSchema, () => ({ content: [] }))
await server.connect(transport)

createServer(async (request, response) => {
  if (request.url === '/api/health') return void response.end('{}')
  await transport.handleRequest(request, response, JSON.parse(await text(request)))
}).listen(Number(process.argv[2]), '127.0.0.1')
