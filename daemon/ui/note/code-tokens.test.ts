import { expect, it } from 'vitest'
import { tokensOf } from './code-tokens.ts'

it.each([
  ['js', 'const x = "a"', 'const', 'tok-keyword'],
  ['python', 'def f():\n  return 1', 'return', 'tok-keyword'],
  ['shell', 'echo "a"', '"a"', 'tok-string'],
])('colours %s', async (language, code, text, classes) => {
  const tokens = (await tokensOf(code, language))!
  expect(tokens.map((token) => token.text).join('')).toBe(code)
  expect(tokens).toContainEqual({ text, classes })
})

it('knows no other language', async () => expect(await tokensOf('x', 'nonsense')).toBeUndefined())
