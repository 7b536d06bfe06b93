import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ResponseParser, MalformedResponse } from './response-parser.ts'

type Read = { status: number; headers: string[]; body: string; complete: boolean; persistent: boolean }

/** Parses bytes in pieces, as one stream of responses to requests of these methods. */
function readAll(pieces: readonly string[], { methods = ['GET'], ended = false } = {}): Read[] {
  const parser = new ResponseParser()
  const answers: Read[] = []
  const wanted = [...methods]
  const expectNext = () => {
    const method = wanted.shift()
    if (method === undefined) return
    const read: Read = { status: 0, headers: [], body: '', complete: false, persistent: false }
    answers.push(read)
    parser.expect(method, {
      head: (status, headers) => void Object.assign(read, { status, headers }),
      data: (chunk) => void (read.body += chunk.toString('latin1')),
      complete: () => {
        read.complete = true
        read.persistent = parser.persistent
        expectNext()
      },
    })
  }
  expectNext()
  for (const piece of pieces) parser.feed(Buffer.from(piece, 'latin1'))
  if (ended) parser.finish()
  return answers
}

const lines = (...parts: string[]) => parts.join('\r\n')

describe('an answer', () => {
  it.each([
    ['with a length', lines('HTTP/1.1 200 OK', 'Content-Length: 5', '', 'hello'), 'hello'],
    ['of no bytes', lines('HTTP/1.1 200 OK', 'content-length: 0', '', ''), ''],
    [
      'in chunks',
      lines('HTTP/1.1 200 OK', 'Transfer-Encoding: chunked', '', '5', 'hello', '1;a=b', '!', '0', '', ''),
      'hello!',
    ],
    [
      'with trailers, which stay here',
      lines('HTTP/1.1 200 ', 'Transfer-Encoding: Chunked', '', '1', 'x', '0', 'Set-Cookie: a=b', '', ''),
      'x',
    ],
    [
      'after interim ones',
      lines(
        'HTTP/1.1 100 Continue',
        '',
        'HTTP/1.1 103 Early Hints',
        'Link: x',
        '',
        'HTTP/1.1 200 OK',
        'Content-Length: 1',
        '',
        'y',
      ),
      'y',
    ],
    ['without a body by its status', lines('HTTP/1.1 304 Not Modified', 'Content-Length: 900', '', ''), ''],
  ])('%s is read alike however it is cut', (_what, raw, body) => {
    const [whole] = readAll([raw])
    expect(whole).toMatchObject({ body, complete: true, persistent: true })
    for (let cut = 1; cut < raw.length; cut += 1) expect(readAll([raw.slice(0, cut), raw.slice(cut)])).toEqual([whole])
    expect(readAll([...raw])).toEqual([whole])
  })

  it('hands names on in lower case, and values as they are but for the space around them', () => {
    const [answer] = readAll([lines('HTTP/1.1 200 OK', 'ETag: \t"A b"  ', 'X:', 'Content-Length: 0', '', '')])
    expect(answer?.headers).toEqual(['etag', '"A b"', 'x', '', 'content-length', '0'])
  })

  it('has no body where nobody asked for one', () => {
    const raw = lines('HTTP/1.1 200 OK', 'Content-Length: 5', '', '')
    expect(readAll([raw], { methods: ['HEAD'] })).toMatchObject([{ body: '', complete: true, persistent: true }])
  })

  it('without a length ends with the stream, and no request follows it', () => {
    const raw = lines('HTTP/1.1 200 OK', '', 'all of it')
    expect(readAll([raw])).toMatchObject([{ body: 'all of it', complete: false }])
    expect(readAll([raw], { ended: true })).toMatchObject([{ body: 'all of it', complete: true, persistent: false }])
  })

  it.each([
    'HTTP/1.0 200 OK\r\n',
    'HTTP/1.1 200 OK\r\nConnection: close\r\n',
    'HTTP/1.1 200 OK\r\nConnection: x, Close\r\n',
  ])('that begins %j is the last on its stream', (head) => {
    expect(readAll([`${head}Content-Length: 0\r\n\r\n`])).toMatchObject([{ complete: true, persistent: false }])
  })

  it('tells for how long its stream may be used', () => {
    const parser = new ResponseParser()
    parser.expect('GET', { head: () => {}, data: () => {}, complete: () => {} })
    parser.feed(Buffer.from(lines('HTTP/1.1 204 x', 'Keep-Alive: timeout=5, max=100', '', '')))
    expect(parser.idleSeconds).toBe(5)
  })
})

describe('what could be read in two ways', () => {
  const ok = (...headers: string[]) => lines('HTTP/1.1 200 OK', ...headers, '', '')
  it.each([
    ['two lengths', ok('Content-Length: 1', 'Content-Length: 1')],
    ['a list of lengths', ok('Content-Length: 1, 1')],
    ['a signed length', ok('Content-Length: +1')],
    ['a hexadecimal length', ok('Content-Length: 0x1')],
    ['an endless length', ok(`Content-Length: ${'9'.repeat(30)}`)],
    ['an empty length', ok('Content-Length:')],
    ['a length beside chunks', ok('Content-Length: 1', 'Transfer-Encoding: chunked')],
    ['a coding with a tab behind it', lines('HTTP/1.1 200 OK', 'X: y', 'Transfer-Encoding: chunked\t', '', '')],
    ['a length with a tab before it', ok('Content-Length:\t1')],
    ['another coding', ok('Transfer-Encoding: gzip, chunked')],
    ['chunks twice', ok('Transfer-Encoding: chunked', 'Transfer-Encoding: chunked')],
    ['chunks of HTTP/1.0', lines('HTTP/1.0 200 OK', 'Transfer-Encoding: chunked', '', '')],
    ['a folded line', ok('A: b', ' c')],
    ['a space before the colon', ok('Content-Length : 1')],
    ['no name', ok(': x')],
    ['no colon', ok('abc')],
    ['a bare line feed', 'HTTP/1.1 200 OK\nContent-Length: 0\n\n\r\n\r\n'],
    ['a bare carriage return', ok('A: b\rContent-Length: 1')],
    ['a zero byte', ok('A: \0')],
    ['another protocol', lines('HTTP/2 200 OK', '', '')],
    ['lower case', lines('http/1.1 200 OK', '', '')],
    ['a status of four digits', lines('HTTP/1.1 2000 OK', '', '')],
    ['a switch of protocols', lines('HTTP/1.1 101 Switching', 'Upgrade: x', '', '')],
    ['interim answers without end', lines('HTTP/1.1 100 x', '', '').repeat(20)],
    ['an interim answer with a length', lines('HTTP/1.1 100 x', 'Content-Length: 0', '', ok('Content-Length: 0'))],
    ['an interim answer that closes', lines('HTTP/1.1 100 x', 'Connection: close', '', ok('Content-Length: 0'))],
    ['an interim answer in chunks', lines('HTTP/1.1 103 x', 'Transfer-Encoding: chunked', '', ok('Content-Length: 0'))],
    ['a no-break space before a length', ok('Content-Length:\xa01')],
    ['a chunk extension without a name', `${ok('Transfer-Encoding: chunked')}1;\r\na\r\n0\r\n\r\n`],
    ['a length in a trailer', `${ok('Transfer-Encoding: chunked')}0\r\nContent-Length: 1\r\n\r\n`],
    ['a long head', ok(`A: ${'b'.repeat(20_000)}`)],
    ['a head that never ends', `HTTP/1.1 200 OK\r\nA: ${'b'.repeat(20_000)}`],
    ['bytes after the end', `${ok('Content-Length: 1')}xy`],
    ['a second answer', ok('Content-Length: 0').repeat(2)],
    ['a chunk size that is none', `${ok('Transfer-Encoding: chunked')}0x1\r\na\r\n0\r\n\r\n`],
    ['a negative chunk', `${ok('Transfer-Encoding: chunked')}-1\r\n`],
    ['a chunk longer than it says', `${ok('Transfer-Encoding: chunked')}1\r\nab\r\n0\r\n\r\n`],
    ['a long chunk extension', `${ok('Transfer-Encoding: chunked')}1;${'a'.repeat(2_000)}\r\n`],
    ['trailers that are none', `${ok('Transfer-Encoding: chunked')}0\r\nabc\r\n\r\n`],
    ['trailers without end', `${ok('Transfer-Encoding: chunked')}0\r\n${'a: b\r\n'.repeat(5_000)}`],
  ])('is refused: %s', (_what, raw) => {
    expect(() => readAll([raw])).toThrowError(MalformedResponse)
    expect(() => readAll([...raw])).toThrowError(MalformedResponse)
  })

  it.each([
    ['in the head', 'HTTP/1.1 200 OK\r\nContent-'],
    ['in the body', lines('HTTP/1.1 200 OK', 'Content-Length: 5', '', 'hel')],
    ['in a chunk', lines('HTTP/1.1 200 OK', 'Transfer-Encoding: chunked', '', '5', 'he')],
    ['before the last chunk', lines('HTTP/1.1 200 OK', 'Transfer-Encoding: chunked', '', '1', 'x', '')],
  ])('is refused: an end %s', (_what, raw) => {
    expect(() => readAll([raw], { ended: true })).toThrowError(MalformedResponse)
  })
})

describe('a stream of answers', () => {
  const token = fc.stringMatching(/^[A-Za-z][A-Za-z0-9-]{0,12}$/)
  const value = fc.stringMatching(/^[!-~]([ -~]{0,20}[!-~])?$/)
  const names = new Set(['content-length', 'transfer-encoding', 'connection', 'keep-alive'])
  const answers = fc.array(
    fc.record({
      status: fc.integer({ min: 200, max: 599 }).filter((status) => status !== 204 && status !== 304),
      headers: fc.array(fc.tuple(token, value), { maxLength: 4 }),
      chunks: fc.array(fc.stringMatching(/^[ -~]{1,30}$/), { maxLength: 4 }),
      chunked: fc.boolean(),
    }),
    { minLength: 1, maxLength: 4 },
  )

  it('is told apart again, wherever it was cut', () => {
    fc.assert(
      fc.property(answers, fc.array(fc.nat(400), { maxLength: 12 }), (sent, cuts) => {
        const raw = sent.map(({ status, headers, chunks, chunked }) => {
          const own = headers.filter(([name]) => !names.has(name.toLowerCase()))
          const body = chunks.join('')
          const framing = chunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`
          const framed = [...chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`), '0\r\n\r\n'].join(
            '',
          )
          const head = [`HTTP/1.1 ${status} x`, ...own.map(([name, text]) => `${name}: ${text}`), framing, '', '']
          return head.join('\r\n') + (chunked ? framed : body)
        })
        const all = raw.join('')
        const places = [0, ...cuts.map((cut) => cut % all.length), all.length].sort((a, b) => a - b)
        const pieces = places.slice(1).map((place, i) => all.slice(places[i], place))
        const read = readAll(pieces, { methods: sent.map(() => 'GET') })
        expect(read.map(({ status, body, complete }) => ({ status, body, complete }))).toEqual(
          sent.map(({ status, chunks }) => ({ status, body: chunks.join(''), complete: true })),
        )
      }),
      { numRuns: 300 },
    )
  })

  it('of any bytes is read or refused, and nothing else happens', () => {
    const pieces = fc.array(
      fc.constantFrom(
        'HTTP/1.1 200 OK\r\n',
        'Content-Length: 3\r\n',
        'Transfer-Encoding: chunked\r\n',
        '\r\n',
        '\n',
        '\r',
        '3\r\nabc\r\n',
        '0\r\n',
        'abc',
        ' ',
        ':',
        '\0',
        'ÿ',
        'A: b\r\n',
      ),
      { maxLength: 12 },
    )
    fc.assert(
      fc.property(pieces, fc.boolean(), (sent, ended) => {
        try {
          readAll(sent, { ended })
        } catch (error) {
          expect(error).toBeInstanceOf(MalformedResponse)
        }
      }),
      { numRuns: 2_000 },
    )
  })
})
