import { connect } from 'node:net'

type Upload = { port: number; head: string[]; body: Buffer }

/**
 * Sends a whole request before it reads anything, as many programs and proxies do. Returns the response. Rejects with
 * the error of the connection.
 */
export function writeThenRead({ port, head, body }: Upload): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    let text = ''
    socket.on('error', reject)
    socket.on('end', () => resolve(text))
    socket.write([...head, 'Connection: close', `Content-Length: ${body.length}`, '', ''].join('\r\n'))
    socket.write(body, () => socket.setEncoding('utf8').on('data', (more: string) => (text += more)))
  })
}
