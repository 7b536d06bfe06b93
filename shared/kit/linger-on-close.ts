import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

// As long as most servers wait; it also bounds what a client can make a server read for nothing.
const LINGER_MS = 10_000

/**
 * Lets a client that still sends its body read a response that came early and ends the connection, such as a refusal of its
 * size. A socket that is closed with unread bytes resets the connection, and the client, or the proxy before it, sees
 * a broken pipe in place of the response. So the server ends its own side first, and reads on until the client is done
 * (RFC 9112, section 9.6).
 */
export function lingerOnClose(server: Server, lingerMs = LINGER_MS): void {
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    const { headers, socket } = request
    if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return
    // Before Node's own listener, which closes the connection.
    response.prependOnceListener('finish', () => {
      if (!request.complete) socket.destroySoon = () => linger({ request, socket, lingerMs })
    })
  })
}

// The socket is that of the connection: a request may have lost its own by now.
type Lingering = { request: IncomingMessage; socket: Socket; lingerMs: number }

function linger({ request, socket, lingerMs }: Lingering): void {
  // From here on the method of the class again.
  delete (socket as Partial<Socket>).destroySoon
  if (request.complete || request.destroyed) return socket.destroySoon()
  const timer = setTimeout(() => socket.destroySoon(), lingerMs).unref()
  socket.once('close', () => clearTimeout(timer))
  request.once('end', () => socket.destroySoon())
  socket.end()
  request.resume()
}
