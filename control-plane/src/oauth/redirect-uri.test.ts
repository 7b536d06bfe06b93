import { expect, test } from 'vitest'
import { integrationKey, redirectKind } from './redirect-uri.ts'

test.each<[string, string, string | undefined]>([
  ['a web address', 'https://claude.ai/api/mcp/auth_callback', 'web'],
  ['a program on this computer', 'http://127.0.0.1:33418/', 'loopback'],
  ['the same by name', 'http://localhost:1/cb', 'loopback'],
  ['the same over IPv6', 'http://[::1]:8080/cb', 'loopback'],
  ['a known app', 'cursor://anysphere.cursor-mcp/oauth/callback', 'app'],
  ['another address of that app', 'cursor://evil/oauth/callback', undefined],
  ['http elsewhere', 'http://example.net/cb', undefined],
  ['a name that begins like this computer', 'http://localhost.evil.example/cb', undefined],
  ['a user that looks like this computer', 'http://localhost@evil.example/cb', undefined],
  ['a script', 'javascript:alert(1)', undefined],
  ['a fragment', 'https://example.net/cb#', undefined],
  ['a backslash', 'https://example.net\\@evil.example/', undefined],
  ['a blank', 'https://example.net/ cb', undefined],
  ['text that turns around', 'https://example.net/\u202e', undefined],
  ['no address', 'callback', undefined],
])('%s', (_sentence, uri, kind) => expect(redirectKind(uri)).toBe(kind))

test('an approval is for what the client cannot choose', () => {
  expect(integrationKey('https://agent.example/client.json', 'http://127.0.0.1:1/')).toBe(
    'https://agent.example/client.json',
  )
  expect(integrationKey('abc', 'https://claude.ai/cb')).toBe('https://claude.ai/cb')
  expect(integrationKey('abc', 'http://127.0.0.1:1/')).toBe('local')
  expect(integrationKey('abc', 'cursor://anysphere.cursor-mcp/oauth/callback')).toBe('local')
})
