import { expect, test } from 'vitest'
import { cleanName, readClientMetadata } from './client-metadata.ts'

const good = 'http://127.0.0.1:1/cb'

test.each<[string, string, string]>([
  ['a plain name', 'Claude', 'Claude'],
  ['lines', 'Claude\n\nby Anthropic', 'Claude by Anthropic'],
  ['marks that turn text around', 'a\u202eb\u2066c', 'a b c'],
  ['invisible characters', 'Cl\u200baude\u00ad', 'Cl aude'],
  ['wide letters', 'Ｃｌａｕｄｅ', 'Claude'],
  ['a tower of marks', `Z${'\u0336'.repeat(50)}`, 'Z'],
  ['a very long one', 'x'.repeat(20_000), 'x'.repeat(60)],
  ['nothing', ' \u200b ', 'Unnamed program'],
])('a claimed name with %s', (_sentence, claimed, shown) => expect(cleanName(claimed)).toBe(shown))

test('keeps what it may send codes to, and leaves out apps that it does not know', () => {
  const read = readClientMetadata({
    redirect_uris: [good, good, 'vscode://vscode.mcp/cb', 'https://vscode.dev/redirect'],
  })
  expect(read).toMatchObject({ redirectUris: [good, 'https://vscode.dev/redirect'], authMethod: 'none' })
})

test.each<[string, unknown]>([
  ['nothing', undefined],
  ['null', null],
  ['a list', []],
  ['addresses that are no list', { redirect_uris: good }],
  ['no address', { redirect_uris: [] }],
  ['unknown apps alone', { redirect_uris: ['vscode://x/y'] }],
  ['a script beside a good address', { redirect_uris: [good, 'javascript://x/%0aalert(1)'] }],
  ['a file', { redirect_uris: [good, 'file:///etc/passwd'] }],
])('refuses %s', (_sentence, body) => expect(readClientMetadata(body)).toHaveProperty('error'))
