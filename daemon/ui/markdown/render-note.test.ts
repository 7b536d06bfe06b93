import { describe, expect, it } from 'vitest'
import type { TreeNode } from '../api/daemon-client.ts'
import { linkIndex } from '../links/link-index.ts'
import { verifies } from '../../../test/requirements.ts'
import { renderNote } from './render-note.ts'

const file = (path: string): TreeNode => {
  const common = { name: path.split('/').at(-1)!, path, size: 1, modifiedAt: '2026-01-01T00:00:00Z' }
  return path.endsWith('.md') ? { kind: 'note', ...common, title: '' } : { kind: 'attachment', ...common }
}
const index = linkIndex([
  file('Home.md'),
  file('a/Other note.md'),
  file('a/pic.png'),
  file('a/drawing.svg'),
  file('x.pdf'),
])
const html = (text: string) => renderNote(text, { vaultId: 'demo', path: 'a/Here.md', index }).html

describe('links', () => {
  it.each([
    ['[[Home]]', 'href="/v/demo/Home.md" class="internal">Home</a>'],
    ['[[Other note#Part|there]]', 'href="/v/demo/a/Other%20note.md#Part" class="internal">there</a>'],
    ['[[Unknown]]', 'href="/v/demo/a/Unknown.md" class="internal unwritten"'],
    ['[[Release 1.2]]', 'href="/v/demo/a/Release%201.2.md" class="internal unwritten"'],
    ['[[Node.js]]', 'href="/v/demo/a/Node.js.md" class="internal unwritten"'],
    ['[[b/Mr.Smith]]', 'href="/v/demo/b/Mr.Smith.md" class="internal unwritten"'],
    ['[[Later.markdown]]', 'href="/v/demo/a/Later.markdown" class="internal unwritten"'],
    ['[x](Node.js)', 'href="/v/demo/a/Node.js" class="internal unwritten"'],
    ['[x](Later)', 'href="/v/demo/a/Later.md" class="internal unwritten"'],
    ['[[picture.png]]', 'href="/v/demo/a/picture.png" class="internal unwritten"'],
    ['[[#Below]]', 'href="/v/demo/a/Here.md#Below"'],
    ['[x](Other%20note.md#Part)', 'href="/v/demo/a/Other%20note.md#Part" class="internal">x</a>'],
    ['[x](https://example.com)', 'class="external" target="_blank" rel="noopener noreferrer">x</a>'],
    ['https://example.com', 'href="https://example.com" class="external"'],
  ])('%s', (text, expected) => expect(html(text)).toContain(expected))

  it('takes a file name for what it is', () => expect(html('see Home.md')).not.toContain('<a'))
  it('leaves links in code alone', () => expect(html('`[[Home]]`')).toContain('<code>[[Home]]</code>'))
  it('leaves script addresses as text', () => expect(html('[x](javascript:alert(1))')).not.toContain('<a'))
})

describe('embeds and images', () => {
  it.each([
    ['![[pic.png|300]]', '<img src="/api/vaults/demo/attachments/a/pic.png" alt="pic.png" width="300" loading="lazy">'],
    ['![alt](pic.png)', 'src="/api/vaults/demo/attachments/a/pic.png" alt="alt"'],
    ['![[drawing.svg#icon]]', '<img src="/api/vaults/demo/attachments/a/drawing.svg"'],
    ['![[x.pdf]]', '<a href="/v/demo/x.pdf" class="internal file">x.pdf</a>'],
    ['![[Other note#Part]]', 'data-embed="a/Other note.md" data-fragment="Part"'],
    ['![[Other note#Part]]', '<a href="/v/demo/a/Other%20note.md#Part" class="internal">'],
    ['![[nothing.png]]', 'class="missing"'],
  ])('%s', (text, expected) => expect(html(text)).toContain(expected))

  it.each(['https://example.com/cat.png', '//example.com/cat.png'])('shows a remote image as a link: %s', (source) => {
    verifies('security.no-beacon')
    const remote = html(`![cat|300](${source})`)
    expect(remote).not.toContain('<img')
    expect(remote).toContain(`<a href="${source}"`)
    expect(remote).toContain('target="_blank" rel="noopener noreferrer">Open image “cat” from example.com</a>')
  })

  it('shows an image that the note itself holds', () =>
    expect(html('![dot](data:image/png;base64,iVBORw0KGgo=)')).toContain(
      '<img src="data:image/png;base64,iVBORw0KGgo=" alt="dot">',
    ))
  it('an image that could be a page is a link', () =>
    expect(html('![x](data:image/svg+xml;base64,PHN2Zz4=)')).not.toContain('<img'))
})

describe('blocks', () => {
  it.each([
    ['> [!warning] Mind\n> the gap', 'data-look="warning"'],
    ['> [!faq]- Folded\n> inside', '<details class="callout"'],
    ['> [!unheard-of]\n> x', 'Unheard-of'],
    ['- [ ] open', '<input type="checkbox" class="task-box" data-task="1" aria-label="open">'],
    ['- [x] done', 'aria-label="done" checked>'],
    ['a ==marked== word', '<mark>marked</mark>'],
    ['a #tag/deep here', 'data-tag="tag/deep"'],
    ['text ^block-1', 'id="b-block-1"'],
    ['|a|b|\n|-|-:|\n|1|2|', 'class="align-right"'],
    ['x[^1]\n\n[^1]: y', 'class="footnote'],
  ])('%s', (text, expected) => expect(html(text)).toContain(expected))

  it('a quote stays a quote', () => expect(html('> plain')).toContain('<blockquote'))
  it('hides comments', () => {
    expect(html('a %%hidden%% b')).not.toContain('hidden')
    expect(html('a\n\n%%\nhidden\n%%\n\nb')).not.toContain('hidden')
  })
  it('numbers are no tags', () => expect(html('issue #12')).not.toContain('class="tag"'))
  it('shows raw HTML as text', () => expect(html('<img src=x onerror=alert(1)>')).toContain('&lt;img'))
  it('needs no inline style', () => expect(html('|a|\n|:-:|\n|1|')).not.toContain('style='))
})

describe('places', () => {
  const text = '---\na: 1\n---\n# One\n\ntext\n\n## Two *words*\n\n- [ ] task\n\n## Two words'

  it('collects the outline with lines of the file', () => {
    expect(renderNote(text, { vaultId: 'demo', path: 'a/Here.md', index }).outline).toEqual([
      { level: 1, text: 'One', line: 4, id: 'h-one' },
      { level: 2, text: 'Two words', line: 8, id: 'h-two-words' },
      { level: 2, text: 'Two words', line: 12, id: 'h-two-words-2' },
    ])
  })

  it('marks blocks and tasks with their line', () => {
    expect(html(text)).toContain('<p data-line="6">')
    expect(html(text)).toContain('data-task="10"')
  })

  it('leaves properties out of the text', () => expect(html(text)).not.toContain('a: 1'))
})

describe('directions', () => {
  it.each(['שלום', '# مرحبا', '- שלום', '> שלום'])('%s', (text) => expect(html(text)).toContain('dir="auto"'))
  it('leaves notes without such letters as they are', () => expect(html('# A\n\nb ≠ ü 漢字')).not.toContain('dir='))
  it('keeps the columns of tables in their order', () =>
    expect(html('| שלום |\n| --- |\n| a |')).not.toContain('dir="auto"'))
})
