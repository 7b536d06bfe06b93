// A WebSocket server that only sends each message to every connection.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WebSocketServer } from 'ws'

const server = createServer()
const sockets = new WebSocketServer({ server, perMessageDeflate: false })
sockets.on('connection', (socket) =>
  socket.on('message', (data: Buffer) => {
    for (const other of sockets.clients) other.send(data, { binary: false })
  }),
)
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
