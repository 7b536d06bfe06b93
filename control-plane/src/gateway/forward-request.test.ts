import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { heldBytes } from '../../../test/support/cpu-time.ts'
import { STALL_MS } from '../../../test/support/fuzz.ts'
import { longestTurnMs } from '../../../test/support/longest-turn.ts'
import { slowness } from '../../../test/support/machine-speed.ts'
import { playDaemon, someTurns } from '../../../test/support/played-daemon.ts'
import { forwardRequest } from './forward-request.ts'
import { RequestEnd } from './request-end.ts'

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\n'
const CHUNKED = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'
const WINDOW_BYTES = 64 * 1024
// Another program on the same core stretches some turns, not all.
const ATTEMPTS = 8
/** Frames of one byte that fit into the largest message. */
const FRAMES = Math.floor((256 * 1024) / 9)

const opened: { close(): void }[] = []
afterEach(() => {
  for (const one of opened.splice(0)) one.close()
})

/** A gateway that forwards every request to a daemon which the test plays. */
async function startGateway() {
  const daemon = playDaemon()
  const requests: IncomingMessage[] = []
  const responses: ServerResponse[] = []
  const server = createServer((request, response) => {
    requests.push(request)
    responses.push(response)
    vi.spyOn(response, 'write')
    forwardRequest({
      request,
      response,
      pool: daemon.pool,
      target: '/',
      headers: ['host', 'x'],
      secure: false,
      requestEnd: new RequestEnd(),
      maxBytes: Number.POSITIVE_INFINITY,
      count: () => {},
      refused: () => response.destroy(),
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  opened.push({ close: () => void (server.close(), server.closeAllConnections(), daemon.close()) })

  return {
    daemon,
    requests,
    responses,
    /** Opens a connection, sends a request and waits until the daemon has it. */
    open: async (text = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n'): Promise<Socket> => {
      const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
      const before = responses.length
      socket.write(text)
      socket.pause()
      while (responses.length === before) await new Promise(setImmediate)
      await someTurns()
      return socket
    },
  }
}

const bytesOf = (count: number): Buffer[] => Array.from({ length: count }, (_, at) => Buffer.from([97 + (at % 26)]))
const writesOf = (response: ServerResponse) => vi.mocked(response.write).mock.calls.length

async function readAll(socket: Socket, isWhole: (text: string) => boolean): Promise<string> {
  let text = ''
  socket.on('data', (chunk: Buffer) => void (text += chunk.toString('latin1')))
  socket.resume()
  while (!isWhole(text)) await new Promise(setImmediate)
  return text
}

/** The body of a chunked response. */
const unchunked = (text: string) => text.slice(text.indexOf('\r\n\r\n') + 4).replaceAll(/(?:^|\r\n)[\da-f]+\r\n/g, '')

describe('a response in frames of one byte', () => {
  test('is written in few pieces, in order and without a stall', async () => {
    let longest = Number.POSITIVE_INFINITY
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const { daemon, open, responses } = await startGateway()
      const socket = await open()
      const pieces = bytesOf(FRAMES)
      daemon.send(1, [HEAD])
      longest = Math.min(longest, await longestTurnMs(() => daemon.send(1, pieces)))
      daemon.end(1)
      const text = await readAll(socket, (read) => read.endsWith('\r\n0\r\n\r\n'))
      expect(unchunked(text).trim()).toBe(Buffer.concat(pieces).toString())
      expect(writesOf(responses[0]!)).toBeLessThan(8)
      if (longest <= STALL_MS * slowness()) return
    }
    expect(longest).toBeLessThan(STALL_MS)
  })

  test('holds about as much memory as it has bytes while the browser does not read', async () => {
    const { daemon, open, responses } = await startGateway()
    for (let stream = 1; stream <= 4; stream += 1) await open()
    const send = async (stream: number, count: number) => {
      daemon.send(stream, bytesOf(count))
      await someTurns()
    }
    const before = heldBytes()
    for (let stream = 1; stream <= 4; stream += 1) {
      daemon.send(stream, [HEAD])
      let left = WINDOW_BYTES - HEAD.length
      for (; left > FRAMES; left -= FRAMES) await send(stream, FRAMES)
      await send(stream, left)
    }
    expect(responses.length).toBe(4)
    expect(heldBytes() - before).toBeLessThan(4 * 1024 * 1024)
  })
})

test('a browser that did not read gets every byte in order once it reads again', async () => {
  const { daemon, open, responses } = await startGateway()
  const socket = await open()
  const response = responses[0]!
  let sent = ''
  const send = async (pieces: string[]) => {
    daemon.send(1, pieces)
    sent += pieces.join('')
    await someTurns()
  }
  daemon.send(1, [HEAD])
  // The kernels take some megabytes first.
  for (let count = 0; !response.writableNeedDrain; count += 1)
    await send([String.fromCodePoint(97 + (count % 26)).repeat(16 * 1024), 'a few bytes'])
  const writes = writesOf(response)
  for (const event of ['one', 'two', 'three']) await send([event])
  expect(writesOf(response)).toBe(writes)

  const reading = readAll(socket, (read) => read.endsWith('\r\n0\r\n\r\n'))
  while (response.writableNeedDrain) await new Promise(setImmediate)
  await send(['four'])
  daemon.end(1)
  expect(unchunked(await reading).trim()).toBe(sent)
})

test('an event is written at the next setImmediate', async () => {
  const { daemon, open, responses } = await startGateway()
  await open()
  daemon.send(1, [HEAD])
  for (let count = 1; count <= 3; count += 1) {
    daemon.send(1, [`data: ${count}\n\n`])
    await new Promise(setImmediate)
    expect(writesOf(responses[0]!)).toBe(count)
  }
})

test('a small response of several frames is one write', async () => {
  const { daemon, open, responses } = await startGateway()
  const socket = await open()
  const end = vi.spyOn(responses[0]!, 'end')
  daemon.send(1, [CHUNKED, '5\r\nhello\r\n', '1\r\n!\r\n', '0\r\n\r\n'])
  expect(writesOf(responses[0]!)).toBe(0)
  expect(end).toHaveBeenCalledTimes(1)
  expect(await readAll(socket, (text) => text.endsWith('0\r\n\r\n'))).toContain('\r\n6\r\nhello!\r\n0\r\n\r\n')
})

test('a failure drops what was not written', async () => {
  const { daemon, open, responses } = await startGateway()
  await open()
  daemon.send(1, [CHUNKED, '5\r\nhello\r\n', 'no chunk\r\n'])
  await someTurns()
  expect(responses[0]!.destroyed).toBe(true)
  expect(writesOf(responses[0]!)).toBe(0)
})

const PUT = 'PUT / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n'
const LETTERS = 'abcdefghijklmnopqrstuvwxyz'

describe('an upload in chunks of one byte', () => {
  /** Starts one that the daemon does not read. */
  async function startUpload(letters: number) {
    const gateway = await startGateway()
    const socket = await gateway.open(PUT)
    const one = Buffer.from([...LETTERS].map((letter) => `1\r\n${letter}\r\n`).join(''))
    const piece = Buffer.concat(Array.from({ length: 500 }, () => one))
    for (let left = letters; left > 0; left -= 500 * LETTERS.length) socket.write(piece)
    socket.write('0\r\n\r\n')
    const request = gateway.requests[0]!
    return { ...gateway, request, sent: Math.ceil(letters / (500 * LETTERS.length)) * 500 }
  }

  test('holds about as much memory as it has bytes while the daemon does not read', async () => {
    await startUpload(1)
    const before = heldBytes()
    const { request } = await startUpload(500_000)
    while (!request.isPaused()) await new Promise(setImmediate)
    for (let turn = 0; turn < 10; turn += 1) await someTurns()
    expect(heldBytes() - before).toBeLessThan(3 * 1024 * 1024)
  })

  test('reaches the daemon in order and without a stall', async () => {
    let longest = Number.POSITIVE_INFINITY
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const { daemon, request, sent } = await startUpload(500_000)
      const turns = await longestTurnMs(async () => {
        while (!request.isPaused()) await new Promise(setImmediate)
        daemon.grant(1, 8 * 1024 * 1024)
        while (!daemon.payloads().at(-1)?.subarray(-5).equals(Buffer.from('0\r\n\r\n'))) await someTurns()
      })
      longest = Math.min(longest, turns)
      const [, ...chunks] = Buffer.concat(daemon.payloads()).toString('latin1').split('\r\n\r\n')
      expect(unchunked(`\r\n\r\n${chunks.join('\r\n\r\n')}`).trim()).toBe(LETTERS.repeat(sent))
      if (longest <= STALL_MS * slowness()) return
    }
    expect(longest).toBeLessThan(STALL_MS)
  })
})

test('a small body leaves in one message with its head', async () => {
  const { daemon, open } = await startGateway()
  await open('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\nhello')
  expect(daemon.messages.length).toBe(1)
  expect(Buffer.concat(daemon.payloads()).toString()).toMatch(/\r\n\r\nhello$/)
})

test('a small piece of a body does not wait for the next one', async () => {
  const { daemon, open } = await startGateway()
  const socket = await open(`${PUT}5\r\nhello\r\n`)
  expect(Buffer.concat(daemon.payloads()).toString()).toMatch(/\r\n\r\n5\r\nhello\r\n$/)
  socket.destroy()
})

test('after an answer to an upload that waits, the connection serves the next request', async () => {
  const { daemon, open, requests, responses } = await startGateway()
  const socket = await open(PUT)
  const chunk = `8000\r\n${'x'.repeat(0x8000)}\r\n`
  for (let count = 0; count < 32; count += 1) socket.write(chunk)
  while (!requests[0]!.isPaused()) await new Promise(setImmediate)
  daemon.send(1, ['HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nfirst'])
  socket.write('0\r\n\r\nGET / HTTP/1.1\r\nhost: x\r\n\r\n')
  while (responses.length < 2) await new Promise(setImmediate)
  await someTurns()
  daemon.send(2, ['HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nsecond'])
  expect(await readAll(socket, (text) => text.endsWith('second'))).toContain('first')
})
