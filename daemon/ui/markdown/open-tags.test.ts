import { describe, expect, it } from 'vitest'
import { keepHarmless } from './safe-html.ts'
import { createOpenTags } from './open-tags.ts'

const count = (html: string, tag: string) => html.split(tag).length - 1

describe('open tags of a note', () => {
  it.each([
    ['text elements end with what is around them', '<b>a<i>b</b>c', '<b>a<i>b</i></b>c'],
    ['a block ends the text elements before it', '<div><b>a<p>b</div>', '<div><b>a</b><p>b</div>'],
    ['a line break ends nothing', '<b>a<br>b</b>', '<b>a<br>b</b>'],
    ['an end without a start is nothing', 'a</b></div>c', 'ac'],
    ['items need no end', '<ul><li>a<li>b</ul>', '<ul><li>a<li>b</ul>'],
  ])('%s', (_name, html, expected) => expect(keepHarmless(html)).toBe(expected))

  it('keeps only so many open at a time, and shows the others as text', () => {
    const bold = keepHarmless('<b>'.repeat(10_000))
    expect([count(bold, '<b>'), count(bold, '&lt;b&gt;')]).toEqual([16, 10_000 - 16])
    const nested = keepHarmless('<div>'.repeat(10_000) + '</div>'.repeat(10_000))
    expect([count(nested, '<div>'), count(nested, '</div>')]).toEqual([64, 64])
  })

  it('counts blocks over all parts of a note, and ends text with each', () => {
    const open = createOpenTags()
    expect(keepHarmless('<details><b>', open) + open.endText()).toBe('<details><b></b>')
    expect(keepHarmless('x</b></details></details>', open)).toBe('x</details>')
  })
})
