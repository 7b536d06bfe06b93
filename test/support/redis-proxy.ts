import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A Redis that can leave subscriptions unanswered: a proxy before a real one. */
export async function startRedisProxy(url: string) {
  const { hostname, port } = new URL(url)
  const subscribers = new Set<Socket>()
  const open = new Set<Socket>()
  let isHolding = false
  let held = 0

  const server = createServer((client) => {
    const redis = connect(Number(port), hostname)
    open.add(client)
    client.on('data', (bytes: Buffer) => {
      const isSubscription = /\r\nsubscribe\r\n/i.test(bytes.toString('latin1'))
      if (isSubscription) subscribers.add(client)
      if (isSubscription && isHolding) held += 1
      else redis.write(bytes)
    })
    redis.pipe(client)
    client.on('error', () => {})
    redis.on('error', () => {})
    redis.once('close', () => client.destroy())
    client.once('close', () => {
      open.delete(client)
      subscribers.delete(client)
      redis.destroy()
    })
  })
  server.listen(0, '127.0.0.1').unref()
  await once(server, 'listening')

  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** From now on subscriptions get no answer, until the returned function is called. */
    holdSubscriptions: () => {
      isHolding = true
      return () => void (isHolding = false)
    },
    /** Number of subscriptions without an answer. */
    held: () => held,
    subscribers: () => subscribers.size,
    /** Ends the connections that have subscribed. */
    cutSubscribers: () => {
      for (const socket of subscribers) socket.destroy()
    },
    close: () => {
      for (const socket of open) socket.destroy()
      server.close()
    },
  }
}
