import { expect, it } from 'vitest'
import { entryCookie, readEntryCookie } from './entry-cookie.ts'

it.each([
  ['svc_entry=abc', false, 'abc'],
  ['a=b; svc_entry=abc; c=d', false, 'abc'],
  ['svc_entry=abc; svc_entry=def', false, undefined],
  ['__Host-svc_entry=abc', false, undefined],
  ['__Host-svc_entry=abc', true, 'abc'],
  ['svc_entry=abc', true, undefined],
  ['xsvc_entry=abc', false, undefined],
  ['', false, undefined],
])('reads %j (secure: %s) as %s', (cookie, secure, expected) => {
  expect(readEntryCookie({ headers: { cookie } }, secure)).toBe(expected)
})

it('is host-only, for HTTP alone, and secure wherever there is TLS', () => {
  const cookie = entryCookie('v', { secure: true, maxAgeSeconds: 60 })
  expect(cookie).toBe('__Host-svc_entry=v; Path=/; HttpOnly; SameSite=Lax; Max-Age=60; Secure')
})

it('takes a name with a no-break space for another cookie, as browsers do', () => {
  const headers = { cookie: '\u00a0__Host-svc_entry=planted; __Host-svc_entry=own' }
  expect(readEntryCookie({ headers }, true)).toBe('own')
})
