import { expect, test, vi } from 'vitest'
import { playDaemon, someTurns } from '../../../test/support/played-daemon.ts'
import { verifies } from '../../../test/requirements.ts'

const handler = () => ({
  head: () => {},
  data: () => true,
  drained: () => {},
  complete: vi.fn<() => void>(),
  failed: vi.fn<() => void>(),
})
const request = { method: 'GET', target: '/', headers: ['host', 'x'], body: 'none' } as const
const allowing = (seconds: number) => `HTTP/1.1 200 OK\r\nkeep-alive: timeout=${seconds}\r\ncontent-length: 0\r\n\r\n`

test.each([0, 1, 2])(
  'a daemon that keeps a connection open for %s seconds is asked again and again',
  async (seconds) => {
    verifies('relay.hostile-keep-alive')
    const daemon = playDaemon()
    for (let stream = 1; stream <= 3; stream += 1) {
      const events = handler()
      daemon.pool.send(request, events)
      await someTurns()
      daemon.send(seconds < 2 ? stream : 1, [allowing(seconds)])
      await someTurns()
      expect(events.complete).toHaveBeenCalledOnce()
    }
    daemon.close()
  },
)

test.each(['the daemon', 'the client'])('a request that %s ends leaves the pool in order', async (who) => {
  verifies('relay.hostile-keep-alive')
  const daemon = playDaemon()
  const ask = async () => {
    const events = handler()
    const connection = daemon.pool.send(request, events)
    await someTurns()
    return { events, connection }
  }
  await ask()
  daemon.send(1, [allowing(1)])
  const second = await ask()
  if (who === 'the client') second.connection.abort()
  else daemon.end(2)
  const third = await ask()
  daemon.send(3, [allowing(1)])
  await someTurns()
  expect(third.events.complete).toHaveBeenCalledOnce()
  daemon.close()
})
