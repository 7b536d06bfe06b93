import { describe, expect, it } from 'vitest'
import { verifies } from '../../../test/requirements.ts'
import { originHeaders } from '../http/vault-origin-headers.ts'
import { isOwnPath, responseHeaders } from './response-headers.ts'

const answer = (rawHeaders: string[], { status = 200, path = '/' } = {}) =>
  responseHeaders({ status, rawHeaders, target: path, secure: true })

describe('headers to the browser', () => {
  it('pass what describes the content', () => {
    expect(answer(['Content-Type', 'text/plain', 'ETag', '"a"', 'X-Other', 'b'])).toEqual({
      ...originHeaders({ secure: true }),
      'content-type': 'text/plain',
      etag: '"a"',
    })
  })

  it.each([
    'set-cookie',
    'clear-site-data',
    'service-worker-allowed',
    'strict-transport-security',
    'alt-svc',
    'refresh',
    'www-authenticate',
    'report-to',
    'access-control-allow-origin',
    'x-accel-redirect',
  ])('never pass %s', (name) => {
    expect(answer([name, 'evil'])).toEqual(originHeaders({ secure: true }))
  })

  it('let a daemon tighten the policy and nothing else', () => {
    const policy = answer(['Content-Security-Policy', "sandbox; default-src 'none'; report-uri http://evil.example"])
    expect(policy['content-security-policy']).toEqual([
      originHeaders({ secure: true })['content-security-policy'],
      "sandbox; default-src 'none'",
    ])
  })

  it('cache hashed assets alone', () => {
    expect(answer([], { path: '/assets/app-C2f9aQ1x.js' })['cache-control']).toContain('immutable')
    expect(answer([], { path: '/assets/app-C2f9aQ1x.js', status: 404 })['cache-control']).toContain('no-store')
    expect(answer([], { path: '/api/vaults/v/notes/app-C2f9aQ1x.js' })['cache-control']).toContain('no-store')
  })

  it.each([100, 101, 199, 401, 407, 600])('refuse status %i', (status) => {
    verifies('security.daemon-status')
    expect(() => answer([], { status })).toThrowError(expect.objectContaining({ code: 'daemon_unreachable' }))
  })

  it('refuse doubled headers, heads that are too large and redirects that lead away', () => {
    verifies('security.daemon-status')
    const refused = expect.objectContaining({ code: 'daemon_unreachable' })
    expect(() => answer(['Content-Type', 'a/b', 'content-type', 'c/d'])).toThrowError(refused)
    expect(() => answer(['X', 'y'.repeat(17_000)])).toThrowError(refused)
    expect(() => answer(['Location', '//evil.example'], { status: 302 })).toThrowError(refused)
    expect(answer(['Location', '/v/a'], { status: 302 }).location).toBe('/v/a')
  })

  it('say HSTS only over TLS', () => {
    expect(originHeaders({ secure: false })['strict-transport-security']).toBeUndefined()
    expect(originHeaders({ secure: true })['strict-transport-security']).toBeDefined()
  })

  it.each([
    ['/', true],
    ['/v/a%20b?x=1', true],
    ['//evil', false],
    ['/\\evil', false],
    ['evil', false],
    ['', false],
    ['/a b', false],
    ['/a\tb', false],
    ['https://evil', false],
  ])('take %j as a path of the origin: %s', (value, expected) => {
    expect(isOwnPath(value)).toBe(expected)
  })
})
