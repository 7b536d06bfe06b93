import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

// The time that most servers wait; it also limits how long a client can make a server read in vain.
const LINGER_MS = 10_000

/**
 * Lets a client that is still sending its body read an early response that ends the connection, such as a refusal of
 * the body's size. If a socket with unread bytes is closed, the connection is reset, and the client, or the proxy
 * before it, sees a broken pipe instead of the response. So the server ends its own side first, and reads on until the
 * client is done (RFC 9112, section 9.6).
 */
export function lingerOnClose(server: Server, lingerMs = LINGER_MS): void {
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    const { headers, socket } = request
    if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return
    // Runs before Node's own listener, which closes the connection.
    response.prependOnceListener('finish', () => {
      if (!request.complete) socket.destroySoon = () => linger({ request, socket, lingerMs })
    })
  })
}

// The socket of the connection: the request may have lost its own by now.
type Lingering = { request: IncomingMessage; socket: Socket; lingerMs: number }

function linger({ request, socket, lingerMs }: Lingering): void {
  // From now on the method of the class applies again.
  delete (socket as Partial<Socket>).destroySoon
  if (request.complete || request.destroyed) return socket.destroySoon()
  const timer = setTimeout(() => socket.destroySoon(), lingerMs).unref()
  socket.once('close', () => clearTimeout(timer))
  request.once('end', () => socket.destroySoon())
  socket.end()
  request.resume()
}
