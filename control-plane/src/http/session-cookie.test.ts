import { expect, test } from 'vitest'
import { Secret } from '@svc/shared/kit/secret.ts'
import {
  cookieValues,
  readSessionToken,
  sessionCookieLine,
  sessionCookieName,
  withoutCookie,
} from './session-cookie.ts'

const cookie = { name: '__Host-svc_session', secret: new Secret('a secret of the test') }
const line = sessionCookieLine(cookie, { token: 'the-token', seconds: 60 })
const pair = line.split(';')[0] ?? ''

test('the name is bound to the host over https, and carries the port on loopback', () => {
  expect(sessionCookieName('https://svc.example.net')).toBe('__Host-svc_session')
  expect(sessionCookieName('http://localhost:7380')).toBe('svc_session_7380')
})

test('the line has every attribute that a __Host- cookie needs', () => {
  expect(line).toMatch(/^__Host-svc_session=[^;]+; Max-Age=60; Path=\/; HttpOnly; SameSite=Lax; Secure$/)
  expect(sessionCookieLine({ ...cookie, name: 'svc_session_7380' }, { token: 't', seconds: 1 })).not.toContain('Secure')
})

test('reads back what it wrote, beside other cookies', () => {
  expect(readSessionToken(`a=b; ${pair}; c=d`, cookie)).toBe('the-token')
})

test.each([
  ['no cookie', undefined],
  ['two of the name', `${pair}; ${pair}`],
  ['an empty one beside a good one', `__Host-svc_session=; ${pair}`],
  ['a changed token', pair.replace('the-token', 'the-tokem')],
  ['no signature', '__Host-svc_session=the-token'],
  ['a broken escape', '__Host-svc_session=%E0%A4%A'],
  ['another name that ends alike', pair.replace('__Host-', 'x__Host-')],
])('reads nothing from %s', (_, header) => expect(readSessionToken(header, cookie)).toBeUndefined())

test('another secret reads nothing', () => {
  expect(readSessionToken(pair, { ...cookie, secret: new Secret('another') })).toBeUndefined()
})

test('takes one cookie out of a header', () => {
  expect(withoutCookie(`a=b; ${pair}; ${pair}; c=d`, cookie.name)).toBe('a=b; c=d')
  expect(cookieValues('a=1; a=2; ab=3', 'a')).toEqual(['1', '2'])
})
