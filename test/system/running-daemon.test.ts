import { once } from 'node:events'
import { symlink, unlink, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Agent, getGlobalDispatcher, setGlobalDispatcher } from 'undici'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { findDaemon } from '../../daemon/src/cli/running-daemon.ts'
import { homeLayout, type HomeLayout } from '../../daemon/src/home/home-layout.ts'
import { lockHome } from '../../daemon/src/home/lock-home.ts'
import { prepareHome } from '../../daemon/src/home/prepare-home.ts'
import { verifies } from '../requirements.ts'
import { freePort } from '../support/free-port.ts'
import { removeFolder } from '../support/remove-folder.ts'
import { newHome } from '../support/svcd.ts'

let layout: HomeLayout
let server: Server | undefined
beforeEach(async () => {
  layout = prepareHome(await newHome())
})
afterEach(async () => {
  server?.closeAllConnections()
  server?.close()
  server = undefined
  await removeFolder(layout.home)
})

const writeStatus = (port: number) =>
  writeFile(
    layout.statusFile,
    JSON.stringify({ version: '1', pid: process.pid, address: `http://127.0.0.1:${port}` }),
    { mode: 0o600 },
  )

/** Serves the health of a daemon that does not respond to the first request. Returns the number of requests. */
async function serveLate(): Promise<() => number> {
  let asked = 0
  await serve((_request, response) => {
    asked += 1
    if (asked > 1) response.end(health())
  })
  return () => asked
}

const health = () => JSON.stringify({ service: 'svcd', status: { svcHome: layout.home } })

async function serve(listener: RequestListener): Promise<void> {
  server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  await writeStatus((server.address() as AddressInfo).port)
}

test('a daemon that stands still for a while is asked again while its process lives', async () => {
  verifies('daemon.commands')
  await serveLate()
  const lock = lockHome(layout)
  expect(await findDaemon(layout)).toMatchObject({ pid: process.pid, version: '1' })
  lock.release()
})

test('a daemon is found by every path to its home', async () => {
  verifies('daemon.commands')
  await serve((_request, response) => response.end(health()))
  const link = `${layout.home}-link`
  await symlink(layout.home, link)
  onTestFinished(() => unlink(link))
  expect(await findDaemon(homeLayout(link))).toMatchObject({ pid: process.pid })
})

test('what does not respond is asked once when no process has the home, and what refuses is asked once, too', async () => {
  verifies('daemon.commands')
  const asked = await serveLate()
  expect(await findDaemon(layout)).toBeUndefined()
  // None, when the time was over before this process could accept the request.
  expect(asked()).toBeLessThanOrEqual(1)

  const lock = lockHome(layout)
  await writeStatus(await freePort())
  expect(await findDaemon(layout)).toBeUndefined()
  lock.release()
})

test('a command waits for a daemon that takes longer than fetch would wait', async () => {
  verifies('daemon.commands')
  const isLate = Promise.withResolvers<void>()
  await serve(async (request, response) => {
    if (request.url === '/api/health') return void response.end(health())
    const body = await text(request)
    await isLate.promise
    response.end(JSON.stringify({ body }))
  })
  // With a lock, a daemon that does not respond in time is asked again.
  const lock = lockHome(layout)
  onTestFinished(lock.release)
  const daemon = (await findDaemon(layout))!
  const dispatcher = getGlobalDispatcher()
  setGlobalDispatcher(new Agent({ headersTimeout: 10 }))
  onTestFinished(() => setGlobalDispatcher(dispatcher))

  const answer = daemon.send('/slow', { method: 'POST', body: new Blob(['a large vault']) })
  await expect(fetch(`${daemon.address}/api/slow`)).rejects.toThrow('fetch failed')
  isLate.resolve()
  expect(await (await answer).json()).toEqual({ body: 'a large vault' })
})
