import { describe, expect, test } from 'vitest'
import { verifies } from '../../../test/requirements.ts'
import { linksOf } from './note-links.ts'

const seen = (text: string) =>
  linksOf(text).map(({ kind, embed, target, fragment, shown, line }) =>
    [`${line}`, embed ? `!${kind}` : kind, target, fragment && `#${fragment}`, shown && `|${shown}`]
      .filter((part) => part !== undefined)
      .join(' '),
  )

describe('links of a note', () => {
  test.each([
    ['a wiki link', 'a [[Note]] b', ['1 wiki Note']],
    ['with heading and alias', '[[Note#A#B|shown]]', ['1 wiki Note #A#B |shown']],
    ['with a block', '[[Note#^id]]', ['1 wiki Note #^id']],
    ['of a heading here', '[[#Here]]', ['1 wiki  #Here']],
    ['in a table', '| [[a\\|b]] |', ['1 wiki a |b']],
    ['an embed', '![[p.png|100]]', ['1 !wiki p.png |100']],
    ['an escaped mark is no embed', '\\![[p]]', ['1 wiki p']],
    ['blank inside', '[[ ]] [[]]', []],
    ['escaped', '\\[[no]]', []],
    ['in code', '`[[no]]` ``a ` [[no]]`` `[[yes]]', ['1 wiki yes']],
    ['in code over lines', '`a\n[[no]]` [[yes]]', ['2 wiki yes']],
    ['in a fence', '```\n[[no]]\n```\n[[yes]]', ['4 wiki yes']],
    ['in indented code', 'a\n\n    [[no]]\n\n[[yes]]', ['5 wiki yes']],
    ['below a list item', '- a\n\n    [[yes]]', ['3 wiki yes']],
    ['in an indented line of a paragraph', 'a\n    [[yes]]', ['2 wiki yes']],
    ['a Markdown link', '[t](My%20note.md#Some%20part "title")', ['1 markdown My note.md #Some part']],
    ['in angle brackets', '[t](<My note.md>)', ['1 markdown My note.md']],
    ['with brackets in it', '[t](a(b).md) ![i](p.png)', ['1 markdown a(b).md', '1 !markdown p.png']],
    ['an image in a link', '[![i](p.png)](n.md)', ['1 markdown n.md', '1 !markdown p.png']],
    ['with a scheme', '[t](https://a.b) [m](mailto:a@b) <x:y> [r](//a.b/c)', []],
    ['badly encoded', '[t](100%.md)', ['1 markdown 100%.md']],
    ['never closed', '[t](a [u](b)', ['1 markdown b']],
    ['no text', '](a)', []],
    ['a definition', '[t][r]\n\n[r]: ../a.md "title"\n[s]: <b c.md>', ['3 reference ../a.md', '4 reference b c.md']],
    ['a footnote', '[^1]: [[yes]]', ['1 wiki yes']],
    [
      'in properties',
      '---\nup: "[[Up]]"\nno: [[list]]\n# [[comment]]\nmore:\n  - "[[A|b]]"\n---\n[[B]]',
      ['2 wiki Up', '6 wiki A |b', '8 wiki B'],
    ],
    ['line ends of another system', 'a\r\n\r\n[[b]]\r\n', ['3 wiki b']],
  ])('%s', (_, text, expected) => {
    verifies('links.not-in-code')
    expect(seen(text)).toEqual(expected)
  })

  test('offsets name the destination', () => {
    const text = '---\na: "x [[P|q]]"\n---\n![[E#h]] [t](<u v.md> "w")\n[r]: d.md\n'
    expect(linksOf(text).map(({ start, end, from, to }) => [text.slice(start, end), text.slice(from, to)])).toEqual([
      ['[[P|q]]', 'P|q'],
      ['![[E#h]]', 'E#h'],
      ['[t](<u v.md> "w")', 'u v.md'],
      ['[r]: d.md', 'd.md'],
    ])
  })
})
