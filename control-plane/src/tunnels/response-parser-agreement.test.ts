import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readByNode, type ReadAnswer } from '../../../test/support/node-answer.ts'
import { ResponseParser } from './response-parser.ts'

function readByUs(raw: string): ReadAnswer | undefined {
  const parser = new ResponseParser()
  const read: ReadAnswer = { status: 0, headers: [], body: '' }
  let complete = false
  parser.expect('GET', {
    head: (status, headers) => void Object.assign(read, { status, headers }),
    data: (chunk) => void (read.body += chunk.toString('latin1')),
    complete: () => void (complete = true),
  })
  try {
    parser.feed(Buffer.from(raw, 'latin1'))
    parser.finish()
  } catch {
    return undefined
  }
  return complete ? read : undefined
}

const heads = fc.array(
  fc.constantFrom(
    'Content-Length: 3',
    'Content-Length: 0',
    'content-length: 03',
    'Content-Length: 3, 3',
    'Transfer-Encoding: chunked',
    'transfer-encoding:\tchunked ',
    'Transfer-Encoding: chunked\t',
    'Content-Length: 3\t',
    'Transfer-Encoding: identity',
    'Transfer-Encoding: chunked, chunked',
    'Connection: close',
    'Connection: keep-alive, x',
    'Keep-Alive: timeout=1',
    ' folded',
    'A : b',
    'A:',
    'X: ÿ',
    'Content-Length:\xa03',
    'Transfer-Encoding: chunked\xa0',
    'X: \xa0 ',
    'Set-Cookie: a=b',
    'Upgrade: h2c',
  ),
  { maxLength: 4 },
)
const first = fc.constantFrom(
  'HTTP/1.1 200 OK',
  'HTTP/1.1 200',
  'HTTP/1.0 200 OK',
  'HTTP/1.1 204 No',
  'HTTP/1.1 304 x',
  'HTTP/1.1 502 x',
  'HTTP/1.1 100 x\r\n\r\nHTTP/1.1 200 OK',
  'HTTP/1.1  200 OK',
  'HTTP/1.1 099 x',
  'HTTP/2.0 200 OK',
)
const body = fc.constantFrom(
  '',
  'abc',
  'abcd',
  '3\r\nabc\r\n0\r\n\r\n',
  '3;x=y\r\nabc\r\n0\r\nT: v\r\n\r\n',
  '03\r\nabc\r\n0\r\n\r\n',
  '3\nabc\n0\n\n',
  '3 \r\nabc\r\n0\r\n\r\n',
  '4\r\nabc\r\n0\r\n\r\n',
  '3\r\nabc\r\n0\r\n',
  'abc\r\nHTTP/1.1 200 OK\r\n\r\n',
)

it('an answer that is taken says the same to Node', { timeout: 120_000 }, async () => {
  let taken = 0
  await fc.assert(
    fc.asyncProperty(first, heads, body, async (line, headers, rest) => {
      const raw = [line, ...headers, '', rest].join('\r\n')
      const ours = readByUs(raw)
      if (ours === undefined) return
      taken += 1
      expect(await readByNode(Buffer.from(raw, 'latin1'))).toEqual(ours)
    }),
    { numRuns: 3_000 },
  )
  expect(taken).toBeGreaterThan(300)
})
