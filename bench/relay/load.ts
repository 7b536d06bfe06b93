import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { quantile } from '../rounds.ts'

/** Where requests go, and the headers that admit them. */
export type Endpoint = { port: number; headers: Record<string, string> }

const OK = 'HTTP/1.1 200'

const head = ({ headers }: Endpoint, method: string, path: string, more = '') =>
  `${method} ${path} HTTP/1.1\r\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}${more}\r\n`

/**
 * Keep-alive requests on raw sockets, so that the client costs little. Returns their number, requests per second, and
 * p50 and p99 in ms.
 */
export async function measureRequests(endpoint: Endpoint, { concurrency, ms }: { concurrency: number; ms: number }) {
  const latencies: number[] = []
  const request = Buffer.from(head(endpoint, 'GET', '/api/vaults/bench/attachments/small'))
  const until = performance.now() + ms
  const started = performance.now()
  await Promise.all(Array.from({ length: concurrency }, () => client(endpoint.port, request, until, latencies)))
  const seconds = (performance.now() - started) / 1000
  latencies.sort((a, b) => a - b)
  return {
    requests: latencies.length,
    perSecond: latencies.length / seconds,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
  }
}

async function client(port: number, request: Buffer, until: number, latencies: number[]): Promise<void> {
  const socket = await open(port)
  await new Promise<void>((resolve, reject) => {
    let length = 0
    let received = 0
    let text = ''
    let sentAt = performance.now()
    const next = () => {
      if (performance.now() > until) {
        socket.destroy()
        return resolve()
      }
      received = 0
      sentAt = performance.now()
      socket.write(request)
    }
    socket.on('data', (chunk) => {
      if (received === 0 && chunk.toString('latin1', 0, OK.length) !== OK) return reject(new Error(chunk.toString()))
      received += chunk.length
      if (length === 0) {
        text += chunk.toString('latin1')
        const end = text.indexOf('\r\n\r\n')
        if (end < 0) return
        length = end + 4 + Number(/content-length: (\d+)/i.exec(text)?.[1])
      }
      if (received < length) return
      latencies.push(performance.now() - sentAt)
      next()
    })
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('the connection was closed')))
    next()
  })
}

/** One download of that many megabytes; returns MB/s. */
export async function measureDownload(endpoint: Endpoint, megabytes: number): Promise<number> {
  const socket = await open(endpoint.port)
  const total = megabytes * 1024 * 1024
  const started = performance.now()
  socket.write(head(endpoint, 'GET', `/api/vaults/bench/attachments/bulk-${megabytes}`))
  let received = 0
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    if (received === 0 && chunk.toString('latin1', 0, OK.length) !== OK) throw new Error(chunk.toString())
    received += chunk.length
    if (received >= total) break
  }
  return megabytes / ((performance.now() - started) / 1000)
}

const block = Buffer.alloc(64 * 1024, 'u')

/** One upload of that many megabytes; returns MB/s. */
export async function measureUpload(endpoint: Endpoint, megabytes: number): Promise<number> {
  const socket = await open(endpoint.port)
  const total = megabytes * 1024 * 1024
  const started = performance.now()
  socket.write(head(endpoint, 'PUT', '/api/vaults/bench/attachments/up', `content-length: ${total}\r\n`))
  const answered = once(socket, 'data')
  for (let left = total / block.length; left > 0; left -= 1) if (!socket.write(block)) await once(socket, 'drain')
  const [answer] = (await answered) as [Buffer]
  if (answer.toString('latin1', 0, OK.length) !== OK) throw new Error(answer.toString())
  socket.destroy()
  return megabytes / ((performance.now() - started) / 1000)
}

async function open(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  await once(socket, 'connect')
  return socket
}
