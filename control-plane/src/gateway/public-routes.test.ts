import { describe, expect, it } from 'vitest'
import { publicRoute } from './public-routes.ts'

describe('public routes', () => {
  it.each([
    ['GET', '/', { kind: 'ui' }],
    ['GET', '/v/a/notes/b.md', { kind: 'ui' }],
    ['HEAD', '/assets/app-1.js', { kind: 'ui' }],
    ['GET', '/_svc/person', { kind: 'person' }],
    ['PATCH', '/_svc/person', { kind: 'person' }],
    ['POST', '/api/vaults/a/folders/b', { kind: 'vault', vaultId: 'a' }],
    ['GET', '/api/vaults/a/tree?depth=1', { kind: 'vault', vaultId: 'a' }],
    ['PUT', '/api/vaults/a/notes/b.md', { kind: 'vault', vaultId: 'a' }],
    ['GET', '/api/vaults/a%20b/notes/c%2Fd.md', { kind: 'vault', vaultId: 'a b' }],
    ['GET', '/api/vaults/a/links/b.md', { kind: 'vault', vaultId: 'a' }],
    ['GET', '/api/vaults/a/tags', { kind: 'vault', vaultId: 'a' }],
    ['GET', '/api/vaults/a/graph?path=b.md', { kind: 'vault', vaultId: 'a' }],
    ['GET', '/api/vaults/a/audit?limit=10', { kind: 'vault', vaultId: 'a' }],
    ['POST', '/api/vaults/a/ops/flush', { kind: 'vault', vaultId: 'a' }],
    ['GET', '/api/vaults/a/live/b.md', { kind: 'live', vaultId: 'a', isUnattended: false }],
    ['GET', '/api/vaults/a/live/b.md?unattended', { kind: 'live', vaultId: 'a', isUnattended: true }],
  ])('have %s %s', (method, target, expected) => {
    expect(publicRoute(method, target)).toEqual(expected)
  })

  it.each([
    ['GET', '/mcp', 'not_found'],
    ['GET', '/metrics', 'not_found'],
    ['GET', '/api/vaults', 'not_found'],
    ['GET', '/api/relay/status', 'not_found'],
    ['GET', '/api/vaults/a/audit/b', 'not_found'],
    ['POST', '/api/vaults/a/ops', 'not_found'],
    ['POST', '/api/vaults/a/ops/flush/b', 'not_found'],
    ['POST', '/api/vaults/a/ops%2Fflush', 'not_found'],
    ['GET', '/api/vaults/a/ops/storage', 'not_found'],
    ['POST', '/api/ops/flush', 'not_found'],
    ['GET', '/api/vaults/a/notes', 'not_found'],
    ['GET', '/api/vaults/a/links', 'not_found'],
    ['GET', '/api/vaults/a/tree/b', 'not_found'],
    ['GET', '/api/vaults/a%2Fb/tree', 'not_found'],
    ['GET', '/anything', 'not_found'],
    ['GET', '/api/whoami', 'not_found'],
    ['GET', '/_svc/person?x', 'not_found'],
    ['GET', '/_svc/%70erson', 'not_found'],
    ['POST', '/_svc/person', 'method_not_allowed'],
    ['POST', '/', 'method_not_allowed'],
    ['POST', '/api/vaults/a/audit', 'method_not_allowed'],
    ['GET', '/api/vaults/a/ops/flush', 'method_not_allowed'],
    ['POST', '/api/vaults/a/notes/b.md', 'method_not_allowed'],
    ['GET', '/api/vaults/a/../b/tree', 'invalid_request'],
    ['GET', '/api/vaults/a/%2e%2e/b/tree', 'invalid_request'],
    ['GET', '/api/vaults/a/notes/x%2f..%2fy', 'invalid_request'],
    ['GET', '/api/vaults/a/notes/x%5cy', 'invalid_request'],
    ['GET', '/api/vaults/a/notes/x%00', 'invalid_request'],
    ['GET', '/api/vaults/a/notes/%zz', 'invalid_request'],
    ['GET', '//api/vaults/a/tree', 'invalid_request'],
    ['GET', 'http://h/api/vaults/a/tree', 'invalid_request'],
    ['GET', '/api/vaults/a/tree#x', 'invalid_request'],
    ['OPTIONS', '*', 'invalid_request'],
  ])('refuse %s %s as %s', (method, target, code) => {
    expect(() => publicRoute(method, target)).toThrowError(expect.objectContaining({ code }))
  })
})
