import assert from 'node:assert/strict'
import { linkIndex } from '../../daemon/ui/links/link-index.ts'
import { linkLabel, parseLinkTarget } from '../../daemon/ui/links/link-target.ts'
import { resolveAddress, resolveLink } from '../../daemon/ui/links/resolve-link.ts'
import { renderNote } from '../../daemon/ui/markdown/render-note.ts'
import type { FuzzTarget } from '../support/fuzz.ts'

const note = {
  kind: 'note',
  name: 'b.md',
  path: 'a/b.md',
  size: 1,
  modifiedAt: '2026-01-01T00:00:00Z',
  title: 'b',
} as const
const index = linkIndex([{ kind: 'folder', name: 'a', path: 'a', children: [note] }])

/** Links of a note: a link leads to an entry of the vault or nowhere, and its label is never read as markup. */
export const target: FuzzTarget = {
  name: 'links',
  input: 'text',
  maxLength: 2048,
  seeds: [
    '[[b#Head|shown]] ![[a/b.md#^id]]',
    '[x](../a/b.md#h "t") ![y](b.png)',
    '[[../b]] <http://a.b/c> [r]\n\n[r]: b.md',
  ],
  words: ['[[', ']]', '|', '\\|', '#^', '../', '](', '![', '%2e%2e', 'javascript:', 'data:', '"><script', '.md', '//'],
  call(text) {
    const link = parseLinkTarget(text)
    assert.equal(typeof linkLabel(link), 'string')
    for (const resolve of [resolveLink, resolveAddress]) {
      const entry = resolve(index, { target: link.target, from: 'a/c.md' })
      assert.ok(entry === undefined || entry === index.find('a/b.md'))
    }
    const { html } = renderNote(text, { vaultId: 'v', path: 'a/c.md', index })
    assert.ok(!/<script|(?:href|src)="(?:javascript|vbscript|file):/i.test(html))
  },
}
