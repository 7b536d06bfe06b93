/** Answers of a daemon that wants to harm the browser, the gateway or others, as bytes on its stream. */
export type HostileAnswer = {
  name: string
  raw: string
  /** Status that the browser may see; `cut`: the connection may also end in the middle. */
  status: number[]
  cut?: true
}

const ok = (name: string, headers: string[], body = 'x'): HostileAnswer => ({
  name,
  status: [200],
  raw: ['HTTP/1.1 200 OK', `Content-Length: ${body.length}`, ...headers, '', body].join('\r\n'),
})
const refused = (name: string, raw: string): HostileAnswer => ({ name, raw, status: [502] })
const head = (line: string, headers: string[] = ['Content-Length: 0'], body = '') =>
  [line, ...headers, '', body].join('\r\n')

const dropped = [
  'Set-Cookie: svc_entry=stolen', 'Set-Cookie: __Host-svc_session=stolen; Path=/; Secure', 'Set-Cookie2: a=b', 'SET-COOKIE: a=b',
  'Clear-Site-Data: "*"', 'Service-Worker-Allowed: /', 'Strict-Transport-Security: max-age=0', 'X-Accel-Redirect: /etc/passwd',
  'X-Accel-Buffering: no', 'X-Sendfile: /etc/passwd', 'Alt-Svc: h3="evil.example:443"', 'Refresh: 0; url=http://evil.example',
  'Report-To: {"url":"http://evil.example"}', 'NEL: {"report_to":"x"}', 'Reporting-Endpoints: a="http://evil.example"',
  'Content-Security-Policy-Report-Only: default-src *; report-uri http://evil.example', 'Access-Control-Allow-Origin: *',
  'Access-Control-Allow-Credentials: true', 'Cross-Origin-Resource-Policy: cross-origin', 'Cross-Origin-Opener-Policy: unsafe-none',
  'Cross-Origin-Embedder-Policy: unsafe-none', 'Referrer-Policy: unsafe-url', 'X-Content-Type-Options: none', 'X-Frame-Options: ALLOWALL',
  'Cache-Control: public, max-age=31536000', 'Pragma: cache', 'Expires: Fri, 01 Jan 2100 00:00:00 GMT', 'Age: 1', 'Origin-Agent-Cluster: ?0',
  'Permissions-Policy: camera=*', 'Server: evil', 'X-Powered-By: evil', 'Via: 1.1 evil', 'Link: <http://evil.example>; rel=preload',
  'SourceMap: http://evil.example/map', 'X-SourceMap: /map', 'Public-Key-Pins: pin', 'Expect-CT: max-age=1', 'WWW-Authenticate: Basic realm="x"',
  'Proxy-Authenticate: Basic', 'Authentication-Info: x', 'Server-Timing: x', 'Timing-Allow-Origin: *', 'X-Svc-Assertion: stolen',
  'X-Svc-Entry: stolen', 'Content-Location: http://evil.example', 'Trailer: Set-Cookie', 'Upgrade: h2c', 'Keep-Alive: timeout=99999999',
  'Accept-CH: Sec-CH-UA', 'Critical-CH: Sec-CH-UA', 'Document-Policy: x', 'Early-Data: 1', 'Speculation-Rules: "/x"', 'No-Vary-Search: params',
  'Location: http://evil.example', 'Supports-Loading-Mode: fenced-frame', 'Observe-Browsing-Topics: ?1', 'Set-Login: logged-out', 'Activate-Storage-Access: load',
] // prettier-ignore

const policies = [
  "Content-Security-Policy: default-src *; script-src * 'unsafe-inline'",
  "Content-Security-Policy: default-src 'none'; report-uri http://evil.example",
  'Content-Security-Policy: sandbox; report-to evil',
  'Content-Security-Policy: a, b; report-uri /x',
  'Content-Security-Policy: ;;;',
]

const locations = [
  'http://evil.example/', '//evil.example', '/\\evil.example', '\\/evil.example', 'javascript:alert(1)', 'data:text/html,x', '///evil.example',
  '/\tevil', ' //evil.example', '.', '../x', '?x', '#x', '', '/%0d%0aSet-Cookie:a=b\u0001', '/\\/evil.example', 'https:evil.example', '/a b',
] // prettier-ignore

/** Answers whose head or framing is a lie or an attack. */
const framing: HostileAnswer[] = [
  refused('status 401', head('HTTP/1.1 401 Unauthorized', ['WWW-Authenticate: Basic realm="sign in"', 'Content-Length: 0'])),
  refused('status 407', head('HTTP/1.1 407 Proxy Authentication Required', ['Proxy-Authenticate: Basic', 'Content-Length: 0'])),
  refused('status 101 unasked', head('HTTP/1.1 101 Switching Protocols', ['Upgrade: websocket', 'Connection: Upgrade'])),
  refused('status 999', head('HTTP/1.1 999 X')),
  refused('status 600', head('HTTP/1.1 600 X')),
  refused('status 000', head('HTTP/1.1 000 X')),
  refused('status 099', head('HTTP/1.1 099 X')),
  refused('status 1000', head('HTTP/1.1 1000 X')),
  refused('status with sign', head('HTTP/1.1 -200 X')),
  refused('not HTTP', 'hello there, browser\r\n\r\n'),
  refused('HTTP/0.9', '<html>hello</html>'),
  refused('HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  refused('an empty line first, for ever', '\r\n'.repeat(5_000)),
  refused('NUL in a header', head('HTTP/1.1 200 OK', ['X-A: a\u0000b', 'Content-Length: 0'])),
  refused('a header of 20 KiB', head('HTTP/1.1 200 OK', [`ETag: "${'a'.repeat(20_000)}"`, 'Content-Length: 0'])),
  refused('headers of 40 KiB together', head('HTTP/1.1 200 OK', Array.from({ length: 400 }, (_, i) => `X-${i}: ${'b'.repeat(100)}`))),
  refused('two lengths', head('HTTP/1.1 200 OK', ['Content-Length: 1', 'Content-Length: 2'], 'xy')),
  refused('length and chunks', head('HTTP/1.1 200 OK', ['Content-Length: 3', 'Transfer-Encoding: chunked'], '1\r\nx\r\n0\r\n\r\n')),
  refused('a negative length', head('HTTP/1.1 200 OK', ['Content-Length: -1'], 'x')),
  refused('a length that is none', head('HTTP/1.1 200 OK', ['Content-Length: many'], 'x')),
  refused('a huge length', head('HTTP/1.1 200 OK', ['Content-Length: 99999999999999999999999'], 'x')),
  refused('two content types', head('HTTP/1.1 200 OK', ['Content-Type: text/plain', 'Content-Type: text/html', 'Content-Length: 0'])),
  refused('two dispositions', head('HTTP/1.1 200 OK', ['Content-Disposition: attachment', 'Content-Disposition: inline', 'Content-Length: 0'])),
  refused('two locations', head('HTTP/1.1 302 Found', ['Location: /a', 'Location: /b', 'Content-Length: 0'])),
  { name: 'a shorter body than said', status: [200], cut: true, raw: head('HTTP/1.1 200 OK', ['Content-Length: 100'], 'x') },
  { name: 'a bad chunk size', status: [200, 502], cut: true, raw: head('HTTP/1.1 200 OK', ['Transfer-Encoding: chunked'], 'zz\r\nx\r\n') },
  { name: 'a chunk that overflows', status: [200, 502], cut: true, raw: head('HTTP/1.1 200 OK', ['Transfer-Encoding: chunked'], `${'f'.repeat(20)}\r\nx`) },
  { name: 'a longer body than said', status: [200], raw: head('HTTP/1.1 200 OK', ['Content-Length: 1'], 'xHTTP/1.1 200 OK\r\nSet-Cookie: a=b\r\nContent-Length: 0\r\n\r\n') },
  { name: 'a second answer', status: [200], raw: `${head('HTTP/1.1 200 OK', ['Content-Length: 1'], 'x')}${head('HTTP/1.1 200 OK', ['Set-Cookie: a=b', 'Content-Length: 0'])}` },
  { name: 'early hints', status: [200], raw: `HTTP/1.1 103 Early Hints\r\nLink: <http://evil.example>; rel=preload\r\nSet-Cookie: a=b\r\n\r\n${head('HTTP/1.1 200 OK', ['Content-Length: 1'], 'x')}` },
  { name: 'a hundred early hints', status: [200, 502], cut: true, raw: `${'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(100)}${head('HTTP/1.1 200 OK', ['Content-Length: 1'], 'x')}` },
  { name: 'trailers', status: [200], raw: head('HTTP/1.1 200 OK', ['Transfer-Encoding: chunked', 'Trailer: Set-Cookie'], '1\r\nx\r\n0\r\nSet-Cookie: a=b\r\nClear-Site-Data: "*"\r\n\r\n') },
  { name: 'obs-fold', status: [200, 502], raw: head('HTTP/1.1 200 OK', ['X-A: b\r\n Set-Cookie: a=b', 'Content-Length: 1'], 'x') },
  { name: 'bare LF', status: [200, 502], raw: 'HTTP/1.1 200 OK\nSet-Cookie: a=b\nContent-Length: 1\n\nx' },
  { name: '204 with a body', status: [204], raw: head('HTTP/1.1 204 No Content', ['Content-Length: 5', 'Set-Cookie: a=b'], 'hello') },
  { name: '304 with a body', status: [304], raw: head('HTTP/1.1 304 Not Modified', ['Content-Length: 5', 'Set-Cookie: a=b'], 'hello') },
  { name: 'compressed rubbish', status: [200], raw: head('HTTP/1.1 200 OK', ['Content-Encoding: gzip', 'Content-Length: 1'], 'x') },
  { name: 'the end at once', status: [502], raw: '' },
] // prettier-ignore

/** All of them. Those of `dropped` must not show at the browser. */
export const hostileAnswers: HostileAnswer[] = [
  ...dropped.map((header) => ok(`drops ${header}`, [header])),
  ...policies.map((header) => ok(`tames ${header}`, [header])),
  ...locations.map((location) =>
    refused(
      `location ${JSON.stringify(location)}`,
      head('HTTP/1.1 302 Found', [`Location: ${location}`, 'Content-Length: 0']),
    ),
  ),
  {
    name: 'a location of its own',
    status: [302],
    raw: head('HTTP/1.1 302 Found', ['Location: /v/demo-vault', 'Content-Length: 0']),
  },
  ...framing,
]
