import assert from 'node:assert/strict'
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { responseHeaders } from '../../control-plane/src/gateway/response-headers.ts'
import { ResponseParser, MalformedResponse } from '../../control-plane/src/tunnels/response-parser.ts'
import type { FuzzTarget } from '../support/fuzz.ts'
import { seededRandom } from '../support/hostile-text.ts'
import { readByNode, type ReadAnswer } from '../support/node-answer.ts'

const BYTE_BY_BYTE = 4 * 1024
const ORIGIN = 'https://vault.example'
const FORBIDDEN = /^(?:set-cookie|clear-site-data|service-worker-allowed|alt-svc|refresh|report-to|www-authenticate)$/
const lines = (...parts: string[]) => parts.join('\r\n')

/**
 * Responses of a daemon: read the same wherever they are cut, read as Node reads them, and without anything that
 * browsers must not get.
 */
export const target: FuzzTarget = {
  name: 'answers',
  input: 'bytes',
  maxLength: 40 * 1024,
  seeds: [
    lines('HTTP/1.1 200 OK', 'Content-Type: text/plain', 'Content-Length: 5', '', 'hello'),
    lines('HTTP/1.1 200 OK', 'Transfer-Encoding: chunked', '', '5;a=b', 'hello', '0', 'T: v', '', ''),
    lines(
      'HTTP/1.1 100 Continue',
      '',
      'HTTP/1.1 201 x',
      'ETag: "a"',
      'Location: /v/a?x=1',
      'Content-Length: 0',
      '',
      '',
    ),
    lines('HTTP/1.0 302 x', 'Location: /a', 'Content-Security-Policy: sandbox; report-uri /r', '', 'to the end'),
    lines('HTTP/1.1 304 x', 'Vary: accept', 'Keep-Alive: timeout=5', 'Connection: keep-alive, x', '', ''),
  ],
  words: [
    '\r\n',
    '\r\n\r\n',
    '\n',
    '\r',
    ' ',
    '\t',
    '\xa0',
    '0\r\n\r\n',
    'HTTP/1.1 200 OK\r\n',
    'HTTP/1.1 103 x\r\n\r\n',
    'Content-Length: 3\r\n',
    'Content-Length:\xa03\r\n',
    'content-length: 03\r\n',
    'Connection: close\r\n',
    'Transfer-Encoding: chunked\r\n',
    'Transfer-Encoding: chunked\xa0\r\n',
    'Upgrade: h2c\r\n',
    'Set-Cookie: a=b\r\n',
    'Location: //e/\r\n',
    'Location: /\\e/\r\n',
    'Refresh: 0\r\n',
    'Content-Type: a/b\r\n',
    'A: b\r\n c: d\r\n',
    'fffffff;',
  ],
  isExpected: (error) => error instanceof MalformedResponse,
  async call(bytes) {
    const whole = read([bytes])
    const random = seededRandom(bytes.length)
    // Byte by byte, the time of a long response alone would exceed the limit.
    const least = bytes.length > BYTE_BY_BYTE ? 16 : 1
    for (const size of [least, least + random.below(64)]) assert.deepEqual(read(pieces(bytes, size)), whole)
    if (whole === undefined) return
    assert.deepEqual(await readByNode(bytes), whole)
    pass(whole)
  },
}

/** Reads the pieces and the end of the connection; undefined if they are refused. */
function read(chunks: Iterable<Buffer>): ReadAnswer | undefined {
  const parser = new ResponseParser()
  const answer: ReadAnswer = { status: 0, headers: [], body: '' }
  let ended = 0
  parser.expect('GET', {
    head: (status, headers) => void Object.assign(answer, { status, headers }),
    data: (chunk) => void (answer.body += chunk.toString('latin1')),
    complete: () => void (ended += 1),
  })
  try {
    for (const chunk of chunks) parser.feed(chunk)
    parser.finish()
  } catch (error) {
    if (error instanceof MalformedResponse) return undefined
    throw error
  }
  assert.ok(ended === 1 && parser.idle)
  return answer
}

function* pieces(bytes: Buffer, size: number): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

/** Writes what the gateway forwards, as the server that browsers talk to does. */
function pass({ status, headers: rawHeaders }: ReadAnswer): void {
  const headers = responseHeaders({ status, rawHeaders, target: '/v/a', secure: true })
  assert.ok(Object.keys(headers).every((name) => !FORBIDDEN.test(name)))
  const location = headers['location'] as string | undefined
  if (location !== undefined) assert.equal(new URL(location, ORIGIN).origin, ORIGIN)
  new ServerResponse(new IncomingMessage(new Socket())).writeHead(status, headers)
}
