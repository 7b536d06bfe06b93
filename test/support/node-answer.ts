import { request } from 'node:http'
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'

/** A response as a client reads it. Header names are in lower case. */
export type ReadAnswer = { status: number; headers: string[]; body: string }

/** The response that Node's own client reads from these bytes; undefined if it refuses them. */
export function readByNode(raw: Buffer): Promise<ReadAnswer | undefined> {
  const socket = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() })
  return new Promise((settle) => {
    const resolve = (read: ReadAnswer | undefined) => {
      socket.destroy()
      settle(read)
    }
    const asked = request({ createConnection: () => socket as Socket, maxHeaderSize: 1024 * 1024 })
    asked.maxHeadersCount = 0 // no limit
    asked.once('error', () => resolve(undefined))
    asked.once('upgrade', () => resolve(undefined))
    asked.once('response', (answer) => {
      let body = ''
      const headers = answer.rawHeaders.map((text, index) => (index % 2 === 0 ? text.toLowerCase() : text))
      answer.setEncoding('latin1').on('data', (chunk: string) => (body += chunk))
      answer.once('error', () => resolve(undefined))
      answer.once('close', () =>
        resolve(answer.complete ? { status: answer.statusCode ?? 0, headers, body } : undefined),
      )
    })
    asked.end()
    socket.push(raw)
    socket.push(null)
  })
}
