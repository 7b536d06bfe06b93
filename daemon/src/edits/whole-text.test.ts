import { expect, it } from 'vitest'
import { toText } from './to-text.ts'
import { stringOf } from './whole-text.ts'

it.each(['', 'one', 'one\n', '\r\none\r\n\ntwo', 'a line\n'.repeat(50_000)])(
  'goes to a text and back: %#',
  (string) => {
    const text = toText(string)
    expect(text.lines).toBe(string.split('\n').length)
    expect(stringOf(text)).toBe(string)
    const changed = text.replace(0, 0, toText('more\n'))
    expect(stringOf(changed)).toBe(`more\n${string}`)
    expect(stringOf(changed)).toBe(`more\n${string}`)
  },
)
