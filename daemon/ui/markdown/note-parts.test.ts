import { describe, expect, it } from 'vitest'
import { linkIndex } from '../links/link-index.ts'
import { definitionsOutside, lineOfBlock, LONGEST_WHOLE, partAt, partsOf, type NotePart } from './note-parts.ts'
import { renderPart } from './render-note.ts'

const sections = (count: number) =>
  Array.from({ length: count }, (_, nth) => `## Section ${nth}\n\nSome words of it.\n- one\n\n  more\n- two\n\n`).join(
    '',
  )
const place = { vaultId: 'v', path: 'Long.md', index: linkIndex([]) }
const textOf = (text: string, { from, to }: NotePart) => text.slice(from, to)
const html = (text: string, nth: number) => renderPart(text, partsOf(text)[nth]!, place)

/** Expects that the parts cover the whole note, and that each part begins at its `line`. */
function expectWhole(text: string) {
  const parts = partsOf(text)
  expect(parts.map((part) => textOf(text, part)).join('')).toBe(text)
  for (const { from, to, line, last } of parts) {
    expect(text.slice(0, from).split('\n')).toHaveLength(line)
    expect(text.slice(0, to).trimEnd().split('\n').length).toBeLessThanOrEqual(last)
    expect(to - from).toBeLessThanOrEqual(LONGEST_WHOLE / 2)
    expect(textOf(text, { from, to, line, last }).isWellFormed()).toBe(true)
  }
  return parts
}

describe('a long note in parts', () => {
  it('leaves a note that is not long as it is', () => {
    expect(partsOf('One\nTwo')).toEqual([{ from: 0, to: 7, line: 1, last: 2 }])
    expect(partsOf('')).toEqual([{ from: 0, to: 0, line: 1, last: 1 }])
  })

  it('ends a part between two blocks', () => {
    const text = sections(20_000)
    const parts = expectWhole(text)
    expect(parts.length).toBeGreaterThan(5)
    for (const part of parts) expect(textOf(text, part)).toMatch(/^(?:## Section \d+|Some words of it\.)\n/)
  })

  it('cuts a line, a code block and a list that are longer than a part', () => {
    expect(expectWhole('😀'.repeat(400_000)).length).toBeGreaterThan(4)
    expect(expectWhole(`${'x'.repeat(400_000)}\nend`).at(-1)!.last).toBe(2)
    expect(expectWhole(`- item\n`.repeat(100_000)).length).toBeGreaterThan(4)
    expect(expectWhole('\n'.repeat(400_000)).length).toBeGreaterThan(2)
    expect(expectWhole(sections(10_000).replaceAll('\n', '\r\n')).length).toBeGreaterThan(3)
  })

  it('gives a part no more lines than are quick to show, also where the note is not long', () => {
    for (const text of [
      'a line\n'.repeat(400_000),
      'a\n'.repeat(30_000),
      `${'```'}\n${'code\n'.repeat(30_000)}${'```'}\n`,
    ])
      for (const { line, last } of expectWhole(text)) expect(last - line).toBeLessThan(5_001)
    expect(expectWhole('a\n'.repeat(19_000))).toHaveLength(1)
  })

  it('goes on with a code block in the next part', () => {
    const text = `${'```js'}\n${'# let it = 1\n\n'.repeat(50_000)}${'```'}\n\n# After\n`
    const parts = expectWhole(text)
    expect(parts.slice(1, -1).every(({ fence }) => fence === '```')).toBe(true)
    const middle = html(text, 1)
    expect(middle).not.toContain('<h1')
    expect(middle).not.toContain('[x]')
    const last = html(text, parts.length - 1)
    expect(last.match(/<h1/g)).toHaveLength(1)
    expect(last).toContain(`data-line="${text.split('\n').indexOf('# After') + 1}"`)
  })

  it('finds the part of a line', () => {
    const text = sections(20_000)
    const parts = partsOf(text)
    expect(parts.map(({ line }) => partAt(parts, line))).toEqual(parts.map((_, nth) => nth))
    expect(parts.map(({ last }) => partAt(parts, last))).toEqual(parts.map((_, nth) => nth))
    expect(partAt(parts, 9_999_999)).toBe(parts.length - 1)
    expect(lineOfBlock('a ^one-more\nb ^one\n', 'One')).toBe(2)
    expect(lineOfBlock('a', 'one')).toBeUndefined()
  })

  it('gives elements the lines of the note, and takes rules at its beginning for no properties', () => {
    const text = `${'Words of it.\n\n'.repeat(6_000)}---\n\n# Second\n\n---\n${'Words of it.\n\n'.repeat(20_000)}`
    const at = text.indexOf('---')
    const part = { from: at, to: text.length, line: 12_001, last: 60_000 }
    const shown = renderPart(text, part, place)
    expect(shown).toContain('Second')
    expect(shown).toMatch(/<h1[^>]* data-line="12003"/)
  })

  it('knows the links and footnotes that are defined in other parts', () => {
    const text = `A [site] and a note[^1].\n\n${sections(20_000)}\n[site]: https://example.test\n[^1]: Of the footnote.\n`
    const first = html(text, 0)
    expect(first).toContain('href="https://example.test"')
    expect(first).toContain('Of the footnote.')
    expect(html(text, 1)).not.toContain('Of the footnote.')
    expect(definitionsOutside(text, partsOf(text).at(-1)!)).toEqual([])
  })
})
