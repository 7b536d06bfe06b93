import { expect, test } from 'vitest'
import { orgResourceUri, parseOrgResourceUri, parseResourceUri, resourceUri } from './resource-uri.ts'

test.each([
  ['demo-vault', 'a.md', 'vault://demo-vault/a.md'],
  ['v', 'Über uns/a b#c?.md', 'vault://v/%C3%9Cber%20uns/a%20b%23c%3F.md'],
  ['a vault', '100%.md', 'vault://a%20vault/100%25.md'],
])('%s and %s are %s and back', (vaultId, path, uri) => {
  expect(resourceUri({ vaultId, path })).toBe(uri)
  expect(parseResourceUri(uri)).toEqual({ vaultId, path })
})

test.each(['', 'vault://', 'vault://v', 'vault:///a.md', 'file:///etc/passwd', 'vault://v/%zz', 'vault://v/a%2fb.md'])(
  '%j names nothing',
  (uri) => expect(parseResourceUri(uri)).toBeUndefined(),
)

test('an address may name the organization too', () => {
  const name = { org: 'acme', vaultId: 'notes', path: 'a b/ü.md' }
  expect(orgResourceUri(name)).toBe('vault://acme/notes/a%20b/%C3%BC.md')
  expect(parseOrgResourceUri(orgResourceUri(name))).toEqual(name)
  for (const uri of ['vault://acme/notes', 'vault://acme//a.md', 'vault://acme/notes/a%2fb', 'https://acme/notes/a.md'])
    expect(parseOrgResourceUri(uri)).toBeUndefined()
})
