import { describe, expect, it } from 'vitest'
import { handshakeHeaders, refuseDoubled, requestHeaders } from './request-headers.ts'

/** Node joins the values of `Connection`, however many there are. */
const connectionOf = (raw: string[]) =>
  raw.filter((_, i) => raw[i - 1]?.toLowerCase() === 'connection').join(', ') || undefined
const forward = (...rawHeaders: string[]) =>
  requestHeaders({ rawHeaders, connection: connectionOf(rawHeaders), host: 'v.example', assertion: 'signed' })
const tail = ['host', 'v.example', 'x-svc-assertion', 'signed']

describe('headers to the daemon', () => {
  it.each<[string, string[], string[]]>([
    ['nothing but host and assertion of an empty request', [], tail],
    ['what a browser may say', ['Accept', '*/*', 'If-Match', '"a"'], ['accept', '*/*', 'if-match', '"a"', ...tail]],
    ['no cookie and no credentials', ['Cookie', 'a=b', 'Authorization', 'Bearer x', 'Proxy-Authorization', 'y'], tail],
    ['no forged assertion, however it is spelt', ['X-Svc-Assertion', 'f', 'x_svc_assertion', 'f'], tail],
    ['no trust headers', ['X-Forwarded-For', '1.1.1.1', 'Forwarded', 'for=x', 'X-Real-IP', '1', 'Via', 'x'], tail],
    [
      'no hop-by-hop headers',
      ['Connection', 'close', 'TE', 'trailers', 'Upgrade', 'h2c', 'Expect', '100-continue'],
      tail,
    ],
    ['nothing that Connection names', ['Connection', 'Accept, x', 'Accept', '*/*'], tail],
    ['no length, which the connection to the daemon gives itself', ['Content-Length', '3'], tail],
    ['the assertion, even if Connection names it', ['Connection', 'x-svc-assertion'], tail],
    ['the given host, not the sent one', ['Host', 'evil.example'], tail],
  ])('hold %s', (_what, raw, expected) => {
    expect(forward(...raw)).toEqual(expected)
  })

  it('of a handshake hold its own headers and a fresh Connection', () => {
    const raw = ['Sec-WebSocket-Key', 'k', 'Connection', 'keep-alive, Upgrade', 'Upgrade', 'websocket']
    expect(handshakeHeaders({ rawHeaders: raw, connection: connectionOf(raw), host: 'h', assertion: 'a' })).toEqual([
      'sec-websocket-key',
      'k',
      'host',
      'h',
      'x-svc-assertion',
      'a',
      'connection',
      'Upgrade',
      'upgrade',
      'websocket',
    ])
  })

  it.each(['Host', 'Cookie', 'Origin', 'Content-Type', 'If-Match', 'Range'])('may not double %s', (name) => {
    expect(() => refuseDoubled([name, 'a', name.toLowerCase(), 'b'])).toThrowError(
      expect.objectContaining({ code: 'invalid_request' }),
    )
    expect(() => refuseDoubled([name, 'a', 'Accept', 'b', 'Accept', 'c'])).not.toThrow()
  })
})
