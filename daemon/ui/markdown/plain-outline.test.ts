import { expect, test } from 'vitest'
import { leastCpuMs } from '../../../test/support/cpu-time.ts'
import { linkIndex } from '../links/link-index.ts'
import { plainOutline } from './plain-outline.ts'
import { renderNote } from './render-note.ts'

const rendered = (text: string) => renderNote(text, { vaultId: 'v', path: 'a.md', index: linkIndex([]) }).outline

test.each<[string, string]>([
  ['plain headings', '# One\n\ntext\n\n## Two\n\n# One\n'],
  ['the lines after properties', '---\na: 1\n---\n\n# One\n'],
  ['marks in headings', '# A **bold** `code` ==word== [[Note|link]] and [[Other]]\n'],
  [
    'closed headings, empty ones and indents',
    '## Two ##\n\n#\n\n   ### Three\n\n    # code\n\n####### none\n\n#none\n',
  ],
  ['fences', '```\n# code\n```\n\n~~~~\n# code\n~~~\n# code\n~~~~\n\n# One\n\n``` # x\n# code\n'],
])('finds the same as the rendered note: %s', (_what, text) => {
  expect(plainOutline(text)).toEqual(rendered(text))
})

test.each(['# a\n', '#'.repeat(900), ' ', '# [[', '# a #', '```\n'])(
  '%j repeated is read in linear time',
  async (part) => {
    const cost = (length: number) => leastCpuMs(() => plainOutline(part.repeat(length / part.length)))
    await cost(100_000)
    // Eight times the length: quadratic reading would cost 64 times as much. The margin of 200 ms is for garbage
    // collection.
    expect(await cost(800_000)).toBeLessThan(24 * (await cost(100_000)) + 200)
  },
)
