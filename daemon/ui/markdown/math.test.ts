import { describe, expect, it } from 'vitest'
import { linkIndex } from '../links/link-index.ts'
import { renderNote } from './render-note.ts'

const html = (text: string) => renderNote(text, { vaultId: 'v', path: 'n.md', index: linkIndex([]) }).html
const inline = (tex: string) => `<span class="math" data-math="inline">${tex}</span>`
const display = (tex: string) => `<span class="math" data-math="display">${tex}</span>`

describe('mathematics', () => {
  it.each([
    ['a formula in a line', 'so $x^2$ is', inline('x^2')],
    [
      'marks of Markdown within are text',
      '$a_1 * b_1 * c_{2}$ and $d_e$',
      `${inline('a_1 * b_1 * c_{2}')} and ${inline('d_e')}`,
    ],
    ['a display formula within a paragraph', 'thus $$\\frac{a}{b}$$', display('\\frac{a}{b}')],
    ['a block', '$$\na_b\n\\\\\nc\n$$', display('a_b\n\\\\\nc')],
    ['a block without end runs to the end', '$$\nx', display('x')],
    ['signs of HTML are escaped', '$a < b$', inline('a &lt; b')],
    ['an escaped dollar does not close', '$a \\$ b$', inline('a \\$ b')],
  ])('%s', (_name, text, expected) => expect(html(text)).toContain(expected))

  it.each([
    ['two prices', 'from $5 to $10'],
    ['a blank after the mark', '$ a$'],
    ['a blank before the mark', '$a $'],
    ['a single dollar', 'a $ b'],
    ['code', '`$x$`'],
    ['an escaped dollar', '\\$x$'],
  ])('%s is no formula', (_name, text) => expect(html(text)).not.toContain('class="math"'))
})
