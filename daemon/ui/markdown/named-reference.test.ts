import { expect, it } from 'vitest'
import { decodeHTMLStrict } from './named-reference.ts'

it.each([
  ['&copy;', '©'],
  ['&amp;', '&'],
  ['&ngE;', '≧̸'],
  ['&semi;', ';'],
  ['&NewLine;', '\n'],
  ['&notit;', '&notit;'],
  ['&nothing;', '&nothing;'],
])('%s is %j', (reference, text) => expect(decodeHTMLStrict(reference)).toBe(text))
