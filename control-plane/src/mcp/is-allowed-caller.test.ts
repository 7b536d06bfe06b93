import { expect, test } from 'vitest'
import { isAllowedCaller } from './is-allowed-caller.ts'

const local = 'http://localhost:7380'
const far = 'https://svc.example.net'

test.each<[string, string, string | undefined, string | undefined, boolean]>([
  ['a program on this computer', local, 'localhost:7380', undefined, true],
  ['the same by address', local, '127.0.0.1:7380', undefined, true],
  ['a page on this computer', local, 'localhost:7380', 'http://localhost:6274', true],
  ['a name pointed at this computer', local, 'evil.example:7380', undefined, false],
  ['a page of the web at a local platform', local, 'localhost:7380', 'https://evil.example', false],
  ['another port', local, 'localhost:80', undefined, false],
  ['no host', local, undefined, undefined, false],
  ['a program at a public platform', far, 'svc.example.net', undefined, true],
  ['a page of the web at a public platform', far, 'svc.example.net', 'https://inspector.example', true],
  ['an insecure page of the web', far, 'svc.example.net', 'http://inspector.example', false],
  ['a page without an origin', far, 'svc.example.net', 'null', false],
  ['another host name', far, 'evil.example', undefined, false],
  ['a host with a path', far, 'svc.example.net/x', undefined, false],
])('%s', (_sentence, baseUrl, host, origin, allowed) => {
  expect(isAllowedCaller({ host, origin }, baseUrl)).toBe(allowed)
})
