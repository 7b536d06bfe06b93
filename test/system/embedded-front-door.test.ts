import { once } from 'node:events'
import { request, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createFrontDoor } from '../../embedded/front-door.ts'
import { verifies } from '../requirements.ts'
import { rawRequest } from '../support/svcd.ts'

const answering = (name: string) => (_request: unknown, response: ServerResponse) => void response.end(name)
const upgrade = () => {}
const page = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
let door: Server
let port: number

beforeAll(async () => {
  door = createFrontDoor({
    api: answering('api'),
    gateway: { request: answering('gateway'), upgrade },
    dialIn: { request: answering('dial-in'), upgrade },
  }).listen(0, '127.0.0.1')
  await once(door, 'listening')
  port = (door.address() as AddressInfo).port
})
afterAll(() => {
  door.closeAllConnections()
  door.close()
})

test.each<[string, string, Record<string, string>, string]>([
  ['the API on localhost', 'localhost', {}, 'api'],
  ['the API on 127.0.0.1', '127.0.0.1', {}, 'api'],
  ['a page on localhost', 'localhost', page, 'api'],
  ['a vault origin', 'abcdefgh.localhost', page, 'gateway'],
  ['any other name', 'evil.example', {}, 'gateway'],
])('%s', async (_what, name, headers, expected) => {
  verifies('embedded.one-listener')
  const answer = await ask({ host: `${name}:${port}`, ...headers }, '/api/health')
  expect([answer.status, answer.body]).toEqual([200, expected])
})

test.each([
  ['/profile?a=b', '/profile?a=b'],
  ['//evil.example/x', '/'],
  ['/\\evil.example', '/'],
])('a page %s on 127.0.0.1 leads to the same page on localhost, and to no other host', async (path, expected) => {
  verifies('embedded.one-listener')
  const { status, headers } = await ask({ host: `127.0.0.1:${port}`, ...page }, path)
  expect([status, headers['location']]).toEqual([307, `http://localhost:${port}${expected}`])
})

test.each<[string, string[]]>([
  ['two hosts', ['localhost', 'abcdefgh.localhost']],
  ['a malformed host', ['local host']],
])('a request with %s is refused', async (_what, names) => {
  verifies('embedded.one-listener')
  const headers = names.flatMap((name) => ['host', name])
  const [answer] = (await once(request({ port, headers }).end(), 'response')) as [IncomingMessage]
  answer.resume()
  expect(answer.statusCode).toBe(400)
})

test('the dial-in of daemons has its path on localhost', async () => {
  expect((await ask({ host: `localhost:${port}` }, '/t/org_x')).body).toBe('dial-in')
})

const ask = (headers: Record<string, string>, path = '/') =>
  rawRequest({ url: `http://127.0.0.1:${port}`, path, headers })
