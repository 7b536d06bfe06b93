import { expect, test } from 'vitest'
import { parseResourceUri, resourceUri } from './resource-uri.ts'

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
