import { describe, expect, test } from 'vitest'
import { verifies } from '../../../test/requirements.ts'
import { localProblem, type LocalRequest } from './local-rules.ts'

const request: LocalRequest = {
  method: 'GET',
  target: '/api/vaults',
  hosts: ['127.0.0.1:7382'],
  origin: undefined,
  fetchSite: undefined,
  fetchMode: undefined,
  fetchDest: undefined,
}
const code = (change: Partial<LocalRequest>) =>
  localProblem({ ...request, ...change }, ['vault.lan'])?.code ?? 'admitted'

describe('hosts', () => {
  test.each([
    ['127.0.0.1:7382', 'admitted'],
    ['localhost', 'admitted'],
    ['LOCALHOST:1', 'admitted'],
    ['[::1]:7382', 'admitted'],
    ['vault.lan:80', 'admitted'],
    ['evil.example', 'misdirected_request'],
    ['localhost.evil.example', 'misdirected_request'],
    ['127.0.0.1.evil.example', 'misdirected_request'],
    ['127.0.0.2', 'misdirected_request'],
    ['a.localhost', 'misdirected_request'],
    ['localhost:7382@evil', 'misdirected_request'],
    ['', 'misdirected_request'],
  ])('%j: %s', (host, expected) => {
    verifies('security.host-allow-list')
    expect(code({ hosts: [host] })).toBe(expected)
  })
  test('none and two are refused', () => {
    expect(code({ hosts: [] })).toBe('invalid_request')
    expect(code({ hosts: ['localhost', 'localhost'] })).toBe('invalid_request')
  })
})

describe('origins', () => {
  test.each([
    ['http://127.0.0.1:7382', 'admitted'],
    ['null', 'forbidden'],
    ['http://localhost:7382', 'forbidden'],
    ['http://127.0.0.1', 'forbidden'],
    ['https://127.0.0.1:7382', 'forbidden'],
    ['http://evil.example', 'forbidden'],
  ])('%s: %s', (origin, expected) => expect(code({ origin })).toBe(expected))
  test('a named host may stand behind TLS', () =>
    expect(code({ hosts: ['vault.lan'], origin: 'https://vault.lan' })).toBe('admitted'))
})

describe('fetch metadata', () => {
  const link = { fetchSite: 'cross-site', fetchMode: 'navigate', fetchDest: 'document' }
  test.each<[string, Partial<LocalRequest>, string]>([
    ['the UI itself', { fetchSite: 'same-origin' }, 'admitted'],
    ['typed by a person', { fetchSite: 'none' }, 'admitted'],
    ['another site', { fetchSite: 'cross-site' }, 'forbidden'],
    ['another port of this machine', { fetchSite: 'same-site' }, 'forbidden'],
    ['a link to the UI', { ...link, target: '/vaults/x?y' }, 'admitted'],
    ['a link to the API', { ...link, target: '/api/vaults' }, 'forbidden'],
    ['a link to the API in capitals', { ...link, target: '/API/vaults' }, 'forbidden'],
    ['a link to the API in percent signs', { ...link, target: '/%61pi/vaults' }, 'forbidden'],
    ['a link to the API with an encoded slash', { ...link, target: '/api%2Fvaults' }, 'forbidden'],
    ['a link to the API behind two slashes', { ...link, target: '//api/vaults' }, 'forbidden'],
    ['a link to a note named like the API', { ...link, target: '/v/demo/api' }, 'admitted'],
    ['a link that cannot be decoded', { ...link, target: '/%zz' }, 'forbidden'],
    ['a link to the metrics', { ...link, target: '/metrics' }, 'forbidden'],
    ['a link to MCP', { ...link, target: '/mcp' }, 'forbidden'],
    ['a link to MCP in percent signs', { ...link, target: '/mc%70?x' }, 'forbidden'],
    ['a form to the UI', { ...link, target: '/', method: 'POST' }, 'forbidden'],
    ['a frame', { ...link, target: '/', fetchDest: 'iframe' }, 'forbidden'],
    ['a whole address as target', { target: 'http://127.0.0.1/api/vaults' }, 'invalid_request'],
  ])('%s: %s', (_name, change, expected) => {
    verifies('security.local-navigation')
    expect(code(change)).toBe(expected)
  })
})
