/**
 * Requests that have fooled proxies, as data. `{host}`, `{cookie}` and `{origin}` stand for the vault origin's host, the
 * visitor's entry cookie and the origin. The visitor has entered `demo-vault` alone; `secret-vault` lies beside it.
 */
export type HostileRequest = {
  name: string
  raw: string
  /** `refused`: nothing of it may reach a daemon. `forwarded`: one clean request must. `either`: at most one clean one. */
  expect: 'refused' | 'forwarded' | 'either'
}

type Shape = { method?: string; target?: string; headers?: string[]; host?: string[]; cookie?: string[]; body?: string }

const TREE = '/api/vaults/demo-vault/tree'
const NOTE = '/api/vaults/demo-vault/notes/README.md'
const SECRET = '/api/vaults/secret-vault/notes/README.md'

function raw({
  method = 'GET',
  target = TREE,
  headers = [],
  host = ['Host: {host}'],
  cookie = ['Cookie: {cookie}'],
  body = '',
}: Shape) {
  return [`${method} ${target} HTTP/1.1`, ...host, ...cookie, ...headers, '', body].join('\r\n')
}
const one = (name: string, expect: HostileRequest['expect'], shape: Shape): HostileRequest => ({
  name,
  expect,
  raw: raw(shape),
})

const reserved = [
  'X-Svc-Assertion',
  'x-svc-assertion',
  'X-SVC-ASSERTION',
  'x-svc-user',
  'x-svc-org',
  'x-svc-scope',
  'x_svc_assertion',
  'X_Svc_Assertion',
  'x-svc_assertion',
  'X-Forwarded-For',
  'X-Forwarded-Host',
  'X-Forwarded-Proto',
  'X-Forwarded-User',
  'X-Forwarded-Email',
  'X-Forwarded-Access-Token',
  'X_Forwarded_For',
  'Forwarded',
  'X-Real-IP',
  'True-Client-IP',
  'CF-Connecting-IP',
  'X-Client-IP',
  'X-Cluster-Client-IP',
  'Via',
  'Remote-User',
  'X-Remote-User',
  'X-User',
  'X-Auth-User',
  'X-Original-URL',
  'X-Rewrite-URL',
  'X-HTTP-Method-Override',
  'X-Method-Override',
  'Authorization',
  'authorization',
  'Proxy-Authorization',
  'Cookie2',
  'X-Api-Key',
  'X-Csrf-Token',
  'X-Amzn-Trace-Id',
  'Traceparent',
  'Baggage',
  'Early-Data',
  'CDN-Loop',
  'Max-Forwards',
  'X-Envoy-Internal',
  'X-B3-Traceid',
  'Upgrade-Insecure-Requests',
  'Sec-WebSocket-Key',
  'HTTP2-Settings',
]

const forged: HostileRequest[] = reserved.map((name) =>
  one(`forged ${name}`, 'forwarded', { headers: [`${name}: forged-by-client`] }),
)

const named = [
  'x-svc-assertion',
  'X-Svc-Assertion',
  'x-svc-assertion, host',
  'host',
  'Host',
  'content-length',
  'content-type',
  'cookie',
  'origin',
  'accept',
  'keep-alive, x-svc-assertion',
  'close, x-svc-assertion',
  'x-forwarded-for',
  'authorization',
  'te',
  'x-svc-assertion,,,',
  ' x-svc-assertion ',
  '\tx-svc-assertion',
  'sec-fetch-site',
  'if-match',
  'range',
  'transfer-encoding',
  'upgrade',
  'trailer',
  'connection',
]
const connectionNamed: HostileRequest[] = named.flatMap((value) => [
  one(`Connection names ${JSON.stringify(value)}`, 'either', { headers: [`Connection: ${value}`] }),
  one(`a second Connection names ${JSON.stringify(value)}`, 'either', {
    headers: ['Connection: keep-alive', `Connection: ${value}`],
  }),
])

const doubled: HostileRequest[] = [
  ['Host: {host}', 'Host: {host}'],
  ['Host: {host}', 'Host: evil.example'],
  ['Host: evil.example', 'Host: {host}'],
  ['host: {host}', 'HOST: evil.example'],
].map((host) => one(`hosts ${host.join(' and ')}`, 'refused', { host }))
const twice = (header: string, other = header): HostileRequest =>
  one(`doubled ${header} / ${other}`, 'refused', { headers: [header, other] })
doubled.push(
  twice('Origin: {origin}', 'Origin: http://evil.example'),
  twice('Content-Type: text/plain', 'Content-Type: application/json'),
  twice('If-Match: "a"', 'If-Match: "b"'),
  twice('Range: bytes=0-1', 'Range: bytes=2-3'),
  twice('If-Range: "a"', 'If-Range: "b"'),
  twice('Last-Event-ID: 1', 'Last-Event-ID: 2'),
  twice('Authorization: Bearer a', 'Authorization: Bearer b'),
  twice('Sec-Fetch-Site: same-origin', 'Sec-Fetch-Site: cross-site'),
  twice('Sec-Fetch-Mode: cors', 'Sec-Fetch-Mode: navigate'),
  twice('Content-Length: 0', 'Content-Length: 5'),
  twice('Content-Length: 0', 'Content-Length: 0'),
  one('two cookie headers', 'refused', { cookie: ['Cookie: {cookie}', 'Cookie: {cookie}'] }),
  one('the entry cookie twice in one header', 'refused', { cookie: ['Cookie: {cookie}; {cookie}'] }),
  one('an entry cookie before ours', 'refused', { cookie: ['Cookie: svc_entry=AAAA; {cookie}'] }),
  one('other cookies around ours', 'forwarded', { cookie: ['Cookie: a=b; {cookie}; theme=dark; session=secret'] }),
)

const malformed: HostileRequest[] = [
  ['obs-fold', 'X-A: b\r\n folded'],
  ['obs-fold with tab', 'X-A: b\r\n\tfolded'],
  ['obs-fold that smuggles', 'X-A: b\r\n X-Svc-Assertion: forged'],
  ['folded assertion', 'X-Svc-Assertion:\r\n forged'],
  ['space before colon', 'X-Svc-Assertion : forged'],
  ['tab before colon', 'X-Svc-Assertion\t: forged'],
  ['leading space', ' X-Svc-Assertion: forged'],
  ['no colon', 'X-Svc-Assertion forged'],
  ['empty name', ': forged'],
  ['NUL in a value', 'Accept: a\u0000b'],
  ['NUL in a name', 'X-\u0000A: b'],
  ['bare LF', 'X-A: b\nX-Svc-Assertion: forged'],
  ['bare CR', 'X-A: b\rX-Svc-Assertion: forged'],
  ['control character in a value', 'Accept: a\u0001b'],
  ['DEL in a value', 'Accept: a\u007fb'],
  ['parentheses in a name', 'X(A): b'],
  ['quote in a name', 'X"A: b'],
  ['slash in a name', 'X/A: b'],
  ['non-ASCII name', 'X-\u00e9: b'],
  ['vertical tab', 'Accept:\u000b*/*'],
].map(([name = '', header = '']) => one(name, 'either', { headers: [header] }))

const put = (name: string, expect: HostileRequest['expect'], headers: string[], body: string): HostileRequest =>
  one(name, expect, {
    method: 'PUT',
    target: NOTE,
    headers: ['Origin: {origin}', 'Content-Type: application/json', ...headers],
    body,
  })
const SMUGGLED = `GET ${SECRET} HTTP/1.1\r\nHost: {host}\r\nX-Svc-Assertion: forged\r\n\r\n`
const encodings = [
  'Transfer-Encoding: chunked',
  'Transfer-Encoding : chunked',
  'Transfer-Encoding: xchunked',
  'Transfer-Encoding: chunked, identity',
  'Transfer-Encoding: identity',
  'Transfer-Encoding: identity, chunked',
  'Transfer-Encoding: gzip, chunked',
  'Transfer-Encoding:\tchunked',
  'Transfer-Encoding: \u000bchunked',
  'transfer-encoding: CHUNKED',
  'Transfer-Encoding: "chunked"',
  'Transfer-Encoding: chunked;q=1',
  'Transfer-Encoding:',
  'Transfer_Encoding: chunked',
  'X: y\r\n Transfer-Encoding: chunked',
  'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity',
  'Transfer-Encoding: cow\r\nTransfer-Encoding: chunked',
]
const framing: HostileRequest[] = [
  // With an underscore it is a header of another name, which stays at the gateway; the length counts.
  ...encodings.map((header) =>
    put(
      `TE.CL ${JSON.stringify(header)}`,
      header.includes('_') ? 'either' : 'refused',
      ['Content-Length: 4', header],
      `0\r\n\r\n${SMUGGLED}`,
    ),
  ),
  ...encodings.map((header) => put(`TE alone ${JSON.stringify(header)}`, 'either', [header], `2\r\n{}\r\n0\r\n\r\n`)),
  ...['+5', '-1', '0x5', '5,5', '5, 6', '5 5', '', '1e1', '٥', '99999999999999999999', '5;', '05.0', "'5'"].map(
    (length) => put(`Content-Length ${JSON.stringify(length)}`, 'refused', [`Content-Length: ${length}`], '{"a":'),
  ),
  put('chunk size with sign', 'either', ['Transfer-Encoding: chunked'], '+2\r\n{}\r\n0\r\n\r\n'),
  put('chunk size too large', 'either', ['Transfer-Encoding: chunked'], `fffffffffffffffff\r\n{}\r\n0\r\n\r\n`),
  put('chunk extension', 'either', ['Transfer-Encoding: chunked'], `2;a=b\r\n{}\r\n0\r\n\r\n`),
  put('chunk with bare LF', 'either', ['Transfer-Encoding: chunked'], `2\n{}\n0\n\n`),
  put('chunk size with spaces', 'either', ['Transfer-Encoding: chunked'], `2 \r\n{}\r\n0\r\n\r\n`),
  put(
    'trailers that forge',
    'either',
    ['Transfer-Encoding: chunked', 'Trailer: X-Svc-Assertion'],
    `2\r\n{}\r\n0\r\nX-Svc-Assertion: forged\r\nCookie: a=b\r\n\r\n`,
  ),
  put('Expect', 'either', ['Expect: 100-continue', 'Content-Length: 2'], '{}'),
  put('unknown Expect', 'either', ['Expect: 200-ok', 'Content-Length: 2'], '{}'),
  one('a body with GET', 'refused', { headers: ['Content-Length: 5'], body: 'hello' }),
  one('a chunked body with GET', 'refused', {
    headers: ['Transfer-Encoding: chunked'],
    body: '5\r\nhello\r\n0\r\n\r\n',
  }),
  one('a body with HEAD', 'refused', { method: 'HEAD', headers: ['Content-Length: 5'], body: 'hello' }),
]

const outside = [
  '/api/vaults/secret-vault/tree',
  SECRET,
  '/api/vaults/secret%2dvault/tree',
  '/api/vaults/%73ecret-vault/tree',
  '/api/vaults/demo-vault/../secret-vault/tree',
  '/api/vaults/demo-vault/%2e%2e/secret-vault/tree',
  '/api/vaults/demo-vault/%2E%2E/secret-vault/tree',
  '/api/vaults/demo-vault/.%2e/secret-vault/tree',
  '/api/vaults/demo-vault/%2e./secret-vault/tree',
  '/api/vaults/demo-vault/..;/secret-vault/tree',
  '/api/vaults/demo-vault/..%2fsecret-vault/tree',
  '/api/vaults/demo-vault%2f..%2fsecret-vault/tree',
  '/api/vaults/demo-vault%2F%2E%2E%2Fsecret-vault/tree',
  '/api/vaults/demo-vault/..%5csecret-vault/tree',
  '/api/vaults/demo-vault\\..\\secret-vault/tree',
  '/api/vaults/./secret-vault/tree',
  '/api/vaults//secret-vault/tree',
  '/api//vaults/secret-vault/tree',
  '//api/vaults/secret-vault/tree',
  '/api/vaults/demo-vault//secret-vault',
  '/api/./vaults/secret-vault/tree',
  '/x/../api/vaults/secret-vault/tree',
  '/%2e%2e/api/vaults/secret-vault/tree',
  '/assets/../api/vaults/secret-vault/tree',
  '/assets/%2e%2e/api/vaults/secret-vault/tree',
  '/v/../api/vaults/secret-vault/tree',
  '/v/..%2f..%2fapi/vaults/secret-vault/tree',
  '/API/vaults/secret-vault/tree',
  '/api/VAULTS/secret-vault/tree',
  '/api/vaults/SECRET-VAULT/tree',
  '/api/vaults/secret-vault',
  '/api/vaults/secret-vault/',
  '/api/vaults/secret-vault%00/tree',
  '/api/vaults/demo-vault%00/tree',
  '/api/vaults/secret-vault;a=b/tree',
  '/api/vaults/demo-vault%252f..%252fsecret-vault/tree',
  '/api/vaults/%2e%2e/vaults/secret-vault/tree',
  '/api/vaults/demo-vault/notes/../../secret-vault/notes/README.md',
  '/api/vaults/demo-vault/notes/..%2f..%2f..%2fsecret-vault%2fREADME.md',
  '/api/vaults/demo-vault/notes/%2e%2e%2f%2e%2e%2fREADME.md',
  '/api/vaults/demo-vault/notes/%c0%ae%c0%ae/README.md',
  '/api/vaults/demo-vault/notes/%zz',
  '/api/vaults/demo-vault/notes/%',
  '/api/vaults/demo-vault/notes/%e0%80%af',
  '/api/vaults/demo-vault/notes/a%00.md',
  '/api/vaults/demo-vault/notes/a%0d%0ab.md',
  '/api/vaults/demo-vault/notes/a%5cb.md',
  '/api/vaults',
  '/api/vaults/',
  '/api/vaults?x=1',
  '/api/vaults/import',
  '/api/vaults/demo-vault/import',
  '/api/vaults/demo-vault/audit/x',
  '/api/vaults/demo-vault/ops/flush',
  '/api/vaults/demo-vault/ops/storage',
  '/api/ops/storage',
  '/api/ops/undone',
  '/api/relay/status',
  '/api/health',
  '/api/ready',
  '/api/openapi.json',
  '/api',
  '/api/',
  '/mcp',
  '/MCP',
  '/mcp/',
  '/%6dcp',
  '/metrics',
  '/%6detrics',
  '/health',
  '/ready',
  '/status',
  '/t/org_aaaaaaaaaaaaaaaaaaaaaaaa',
  '/_svc',
  '/_svc/',
  '/_svc/other',
  '/_svc/enter/',
  '/%5fsvc/enter',
  '/.well-known/oauth-protected-resource',
  '/.svc/vault.json',
  '/.git/config',
  'http://{host}/api/vaults/secret-vault/tree',
  'http://{host}/api/vaults/demo-vault/tree',
  'http://evil.example/api/vaults/demo-vault/tree',
  'https://{host}/',
  '{host}:80',
  '*',
  'api/vaults/demo-vault/tree',
  '?',
  '/api/vaults/demo-vault/tree#x',
  '/api/vaults/demo-vault/tree#/../secret-vault',
  '/api/vaults/demo-vault/tree\t',
  '/api/vaults/demo-vault/\u00e9',
  '/api/vaults/demo-vault/tree\u0000',
  '/api/vaults/demo-vault/"tree',
  '/api/vaults/demo-vault/constructor',
  '/api/vaults/__proto__/tree',
  '/api/vaults/demo-vault/__proto__',
  '/api/vaults/demo-vault/toString',
  '/api/vaults/demo-vault/live/README.md',
]
const inside = [
  '/api/vaults/demo-vault/tree',
  '/api/vaults/%64emo-vault/tree',
  '/api/vaults/demo%2Dvault/tree',
  '/api/vaults/demo-vault/tree?path=../secret-vault',
  '/api/vaults/demo-vault/search?q=CANARY',
  '/api/vaults/demo-vault/search?q=a%26vaultId=secret-vault',
  '/api/vaults/demo-vault/tree?vaultId=secret-vault',
  '/api/vaults/demo-vault/notes/README.md',
  '/api/vaults/demo-vault/notes/notes%2Fwelcome.md',
  '/api/vaults/demo-vault/notes/a%20b.md',
  '/api/vaults/demo-vault/notes/%C3%A9.md',
  '/api/vaults/demo-vault/notes/...md',
  '/api/vaults/demo-vault/notes/a..b.md',
  '/api/vaults/demo-vault/notes/.svc%2Fvault.json',
  '/api/vaults/demo-vault/attachments',
  '/api/vaults/demo-vault/audit',
  '/api/vaults/demo-vault',
  '/',
  '/v/demo-vault',
  '/v/secret-vault',
  '/v/demo-vault/notes/a.md',
  '/favicon.ico',
]
const paths: HostileRequest[] = [
  ...outside.map((target) => one(`target ${JSON.stringify(target)}`, 'refused', { target })),
  ...inside.map((target) => one(`target ${JSON.stringify(target)}`, 'forwarded', { target })),
]

const sizes: HostileRequest[] = [
  one('a header of 20 KiB', 'refused', { headers: [`Accept: ${'a'.repeat(20_000)}`] }),
  one('400 headers of 100 bytes', 'refused', {
    headers: Array.from({ length: 400 }, (_, i) => `X-${i}: ${'b'.repeat(100)}`),
  }),
  one('a target of 20 KiB', 'refused', { target: `${NOTE}?${'q'.repeat(20_000)}` }),
  one('a long header name', 'either', { headers: [`X-${'a'.repeat(4_000)}: b`] }),
  one('many small headers', 'either', { headers: Array.from({ length: 500 }, (_, i) => `X-${i}: b`) }),
  one('a cookie of 12 KiB', 'either', { cookie: [`Cookie: a=${'c'.repeat(12_000)}; {cookie}`] }),
]

const methods: HostileRequest[] = [
  ...[
    'TRACE',
    'OPTIONS',
    'PROPFIND',
    'MKCOL',
    'COPY',
    'LOCK',
    'PURGE',
    'LINK',
    'REPORT',
    'POST',
    'PATCH',
    'DELETE',
    'PUT',
  ].map((method) =>
    one(`${method} on a reading route`, 'refused', { method, headers: ['Origin: {origin}', 'Content-Length: 0'] }),
  ),
  ...['get', 'GETX', 'G\u0000T', 'GET\t', 'CONNECT', 'PRI', 'QUERY', ''].map((method) =>
    one(`method ${JSON.stringify(method)}`, 'refused', { method }),
  ),
  { name: 'HTTP/2 preface', expect: 'refused', raw: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n' },
  { name: 'HTTP/0.9', expect: 'refused', raw: `GET ${TREE}\r\n\r\n` },
  { name: 'HTTP/3.0', expect: 'refused', raw: `GET ${TREE} HTTP/3.0\r\nHost: {host}\r\nCookie: {cookie}\r\n\r\n` },
  {
    name: 'no version number',
    expect: 'refused',
    raw: `GET ${TREE} HTTP/\r\nHost: {host}\r\nCookie: {cookie}\r\n\r\n`,
  },
  { name: 'two spaces', expect: 'either', raw: `GET  ${TREE} HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\n\r\n` },
  {
    name: 'a leading blank line',
    expect: 'either',
    raw: `\r\nGET ${TREE} HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\n\r\n`,
  },
]

const unsafe = (name: string, headers: string[]): HostileRequest =>
  one(name, 'refused', { method: 'DELETE', target: NOTE, headers })
const crossSite: HostileRequest[] = [
  unsafe('no Origin, no Sec-Fetch-Site', []),
  unsafe('Origin null', ['Origin: null']),
  unsafe('Origin empty', ['Origin:']),
  unsafe('another site', ['Origin: http://evil.example']),
  unsafe('the control plane', ['Origin: http://localhost:{port}']),
  unsafe('another vault origin', ['Origin: http://aaaaaaaaaaaaaaaaaaaa-1.localhost:{port}']),
  unsafe('our host, another scheme', ['Origin: https://{host}']),
  unsafe('our name, another port', ['Origin: http://{name}:1']),
  unsafe('our name without a port', ['Origin: http://{name}']),
  unsafe('a suffix of ours', ['Origin: {origin}.evil.example']),
  unsafe('a path behind ours', ['Origin: {origin}/']),
  unsafe('upper case', ['Origin: HTTP://{host}']),
  unsafe('a list', ['Origin: {origin}, http://evil.example']),
  unsafe('same-site', ['Sec-Fetch-Site: same-site']),
  unsafe('cross-site', ['Sec-Fetch-Site: cross-site']),
  unsafe('none', ['Sec-Fetch-Site: none']),
  unsafe('a wrong Origin beside same-origin', ['Origin: http://evil.example', 'Sec-Fetch-Site: same-origin']),
  ...['cross-site', 'same-site', 'cross-origin', ''].flatMap((site) =>
    [
      ['cors', 'empty'],
      ['no-cors', 'image'],
      ['navigate', 'iframe'],
      ['navigate', 'document'],
    ].map(([mode, dest]) =>
      one(`a read marked ${JSON.stringify(site)}, ${mode}, ${dest}`, 'refused', {
        headers: [`Sec-Fetch-Site: ${site}`, `Sec-Fetch-Mode: ${mode}`, `Sec-Fetch-Dest: ${dest}`],
      }),
    ),
  ),
  one('a service worker script', 'refused', { target: '/assets/worker.js', headers: ['Service-Worker: script'] }),
]

const upgrades: HostileRequest[] = [
  ...['h2c', 'websocket, h2c', 'TLS/1.0', 'foo', 'WebSocket2'].map((protocol) =>
    one(`Upgrade ${protocol}`, 'forwarded', {
      headers: ['Connection: Upgrade', `Upgrade: ${protocol}`, 'HTTP2-Settings: AAMAAABkAAQAAP__'],
    }),
  ),
  ...[
    TREE,
    '/',
    '/mcp',
    '/api/vaults/secret-vault/live/README.md',
    '/api/vaults/demo-vault/live',
    '/api/vaults/demo-vault/live/..%2f..%2fsecret-vault/live/README.md',
  ].map((target) =>
    one(`WebSocket on ${target}`, 'refused', {
      target,
      headers: [
        'Connection: Upgrade',
        'Upgrade: websocket',
        'Origin: {origin}',
        'Sec-WebSocket-Version: 13',
        'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      ],
    }),
  ),
  ...['http://evil.example', 'null', 'http://localhost:{port}', ''].map((origin) =>
    one(`live WebSocket from ${JSON.stringify(origin)}`, 'refused', {
      target: '/api/vaults/demo-vault/live/README.md',
      headers: [
        'Connection: Upgrade',
        'Upgrade: websocket',
        ...(origin ? [`Origin: ${origin}`] : []),
        'Sec-WebSocket-Version: 13',
        'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      ],
    }),
  ),
  one('live WebSocket without a cookie', 'refused', {
    target: '/api/vaults/demo-vault/live/README.md',
    cookie: [],
    headers: [
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Origin: {origin}',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    ],
  }),
]

const hosts: HostileRequest[] = [
  'localhost:{port}',
  '127.0.0.1:{port}',
  '{name}',
  '{name}:1',
  '{name}.:{port}',
  'x.{host}',
  '{host}@evil.example',
  'evil.example@{host}',
  '{host}/',
  '{host} ',
  'aaaaaaaaaaaaaaaaaaaa-1.localhost:{port}',
  'evil.example',
  '',
  '{host}, evil.example',
  '[::1]:{port}',
  '{host}\t',
  '{name}%00:{port}',
  '-.localhost:{port}',
].map((host) =>
  one(`Host ${JSON.stringify(host)}`, /[ \t]$/.test(host) ? 'either' : 'refused', { host: [`Host: ${host}`] }),
)
hosts.push(one('no Host', 'refused', { host: [] }))

const strangers: HostileRequest[] = [
  '',
  'svc_entry=',
  'svc_entry=AAAA',
  `svc_entry=${'A'.repeat(43)}`,
  `__Host-svc_entry=${'A'.repeat(43)}`,
  'SVC_ENTRY={value}',
  'svc_entry ={value}',
].map((cookie) => one(`cookie ${JSON.stringify(cookie)}`, 'refused', { cookie: cookie ? [`Cookie: ${cookie}`] : [] }))

/** All of them. */
export const hostileRequests: HostileRequest[] = [
  ...forged,
  ...connectionNamed,
  ...doubled,
  ...malformed,
  ...framing,
  ...paths,
  ...sizes,
  ...methods,
  ...crossSite,
  ...upgrades,
  ...hosts,
  ...strangers,
]
