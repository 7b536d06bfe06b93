// A slow line to several ports: bytes arrive 50–200 ms later, and sometimes pause as long as a retransmission takes.
// The line carries a limited number of bytes per second, otherwise a bulk transfer would fill the memory of this
// process.
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { slowLine } from '../../test/support/load-balancer.ts'
import { answerParent, partOptions } from '../part.ts'

const BYTES_PER_MS = 12_500
const PAUSE_MS = 4

const { ports } = partOptions<{ ports: number[] }>()
const line = slowLine({ minMs: 50, maxMs: 200, stallMs: 400, stallEveryMs: 4_000 })

/** Reads no faster than the line carries. */
function pace(from: Socket): void {
  let freeAt = 0
  from.on('data', (chunk: Buffer) => {
    const now = systemClock.monotonic()
    freeAt = Math.max(freeAt, now) + chunk.length / BYTES_PER_MS
    if (freeAt - now < PAUSE_MS) return
    from.pause()
    setTimeout(() => from.resume(), freeAt - now)
  })
}

const opened = await Promise.all(
  ports.map(async (port) => {
    const server = createServer({ noDelay: true, allowHalfOpen: true }, (client) => {
      const backend = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true })
      for (const [one, other] of [[client, backend] as const, [backend, client] as const]) {
        one.on('error', () => other.destroy())
        one.once('close', () => other.destroySoon())
        pace(one)
      }
      line(client, backend)
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }),
)

const answers = { ports: () => opened }
export type SlowWayAnswers = typeof answers
answerParent(answers, async () => {})
