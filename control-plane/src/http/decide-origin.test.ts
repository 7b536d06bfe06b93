import { expect, test } from 'vitest'
import { isFromHere } from './decide-origin.ts'

const own = 'https://svc.example.net'
const signs = { method: 'POST', origin: undefined, fetchSite: undefined, contentType: undefined, hasBody: false }

test.each([
  ['reads come from anywhere', { method: 'GET', origin: 'https://evil.example' }, true],
  ['the own origin', { origin: own }, true],
  ['another origin, whatever else it says', { origin: 'https://evil.example', fetchSite: 'same-origin' }, false],
  ['the own host without TLS', { origin: 'http://svc.example.net' }, false],
  ['a subdomain', { origin: 'https://a.svc.example.net' }, false],
  ['an opaque origin', { origin: 'null' }, false],
  ['no origin, fetched from here', { fetchSite: 'same-origin' }, true],
  ['no origin, fetched from a sibling', { fetchSite: 'same-site' }, false],
  ['no origin, a doubled header', { fetchSite: 'same-origin, cross-site' }, false],
  ['a client that is no browser', { contentType: 'application/json', hasBody: true }, true],
  ['JSON of another kind', { contentType: 'application/jsonp', hasBody: true }, false],
  ['JSON without a body', { contentType: 'application/json' }, false],
  ['a body without a type', { hasBody: true }, false],
] as const)('%s', (_, given, passes) => expect(isFromHere({ ...signs, ...given }, own)).toBe(passes))
