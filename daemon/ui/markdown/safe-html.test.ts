import { describe, expect, it } from 'vitest'
import { keepHarmless } from './safe-html.ts'

describe('HTML of a note', () => {
  it.each([
    ['keys', '<kbd>Ctrl</kbd>', '<kbd>Ctrl</kbd>'],
    ['a line break', 'a<br/>b<BR>c', 'a<br>b<br>c'],
    ['a disclosure', '<details open><summary>More</summary>', '<details open=""><summary>More</summary>'],
    ['a title', '<abbr title="World &quot;Wide&quot;">', '<abbr title="World &amp;quot;Wide&amp;quot;">'],
    ['spans of a table', "<td colspan='2'>", '<td colspan="2">'],
    ['character references', 'a&nbsp;b', 'a&nbsp;b'],
    ['no comment', 'a<!-- secret -->b', 'ab'],
    ['no comment without end', 'a<!-- secret', 'a'],
    ['no class, id, style, handler or data', '<p class="x" id="y" style="z" onclick="e()" data-task="1">', '<p>'],
    ['no script', '<script>alert(1)</script>', '&lt;script&gt;alert(1)&lt;/script&gt;'],
    ['no image', '<img src=x onerror=alert(1)>', '&lt;img src=x onerror=alert(1)&gt;'],
    ['no frame', '<iframe src="//evil">', '&lt;iframe src=&quot;//evil&quot;&gt;'],
    ['no form', '<input autofocus>', '&lt;input autofocus&gt;'],
    ['a tag within a tag', '<p <script>', '&lt;p &lt;script&gt;'],
    ['a sign alone', 'a < b', 'a &lt; b'],
    ['a tag that is too long', `<p ${'a'.repeat(2000)}>`, `&lt;p ${'a'.repeat(2000)}&gt;`],
  ])('%s', (_name, html, expected) => expect(keepHarmless(html)).toBe(expected))
})
