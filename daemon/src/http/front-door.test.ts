import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { frontDoor, type FrontDoor } from './front-door.ts'

let door: FrontDoor
afterEach(() => {
  door.server.close()
  door.server.closeAllConnections()
})

test('routes that could not be loaded are loaded again with the next request', async () => {
  const failures: unknown[] = []
  let loads = 0
  door = frontDoor({ allowedHosts: [], answers: {}, onFailure: (error) => failures.push(error) })
  door.server.listen(0, '127.0.0.1')
  await once(door.server, 'listening')
  door.serve(async () => {
    if (++loads === 1) throw new Error('too many open files')
    return {
      handle: (_request, response) => void response.end('served'),
      upgrade: (_request, socket) => socket.destroy(),
    }
  })
  const url = `http://127.0.0.1:${(door.server.address() as AddressInfo).port}/api/vaults`
  await expect(fetch(url)).rejects.toThrow()
  expect(failures).toHaveLength(1)
  expect(await (await fetch(url)).text()).toBe('served')
  expect(loads).toBe(2)
})
