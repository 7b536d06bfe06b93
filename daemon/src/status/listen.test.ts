import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { listen } from './listen.ts'

const host = '127.0.0.1'

async function blocked() {
  const blocker = createServer().listen(0, host)
  await once(blocker, 'listening')
  return { blocker, port: (blocker.address() as AddressInfo).port }
}

test('a port that becomes free soon, as that of a process that was just killed, is waited for', async () => {
  const { blocker, port } = await blocked()
  const server = createServer()
  // Close the blocker when the first attempt has failed.
  server.once('error', () => blocker.close())
  expect(await listen(server, { host, port, patienceMs: 60_000 })).toBe(`http://${host}:${port}`)
  server.close()
})

test('a port that stays taken is a failure that a later start may not have', async () => {
  const { blocker, port } = await blocked()
  const failure = listen(createServer(), { host, port, patienceMs: 100 })
  await expect(failure).rejects.toMatchObject({ message: expect.stringContaining(`port ${port}`) as string })
  await expect(failure).rejects.toMatchObject({ exitCode: 75 })
  blocker.close()
})
