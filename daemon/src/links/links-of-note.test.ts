import { expect, test } from 'vitest'
import { verifies } from '../../../test/requirements.ts'
import type { Vault } from '../vaults/vault.ts'
import { createLinksOfNote } from './links-of-note.ts'

const vaultOf = ({ isIndexed }: { isIndexed: boolean }) =>
  ({ isIndexed: () => isIndexed, manifest: { hasFile: (path: string) => path === 'a.md' } }) as unknown as Vault
const nothing = { links: [], backlinks: 0, linksPartial: true }

test('no note waits for a vault that is still being read, or for a file that is not known yet', async () => {
  verifies('notes.links')
  const linksOfNote = createLinksOfNote(() => expect.fail('no links are expected'))
  expect(await linksOfNote(vaultOf({ isIndexed: false }), 'a.md')).toEqual(nothing)
  expect(await linksOfNote(vaultOf({ isIndexed: true }), 'b.md')).toEqual(nothing)
})

test('a list that is too long for a note is cut and called partial', async () => {
  verifies('notes.links')
  const link = { kind: 'wiki', embed: false, inProperty: false, line: 1, target: 'b' } as const
  const answer = { path: 'a.md', backlinks: [], backlinksTotal: 7, mentions: [], partial: false }
  const linksOfNote = (count: number) =>
    createLinksOfNote(async (_vault, { mostOutgoing = Infinity }) => {
      // No more are looked for than are needed to see that there are too many.
      expect(mostOutgoing).toBe(1001)
      return { ...answer, outgoing: Array.from({ length: Math.min(count, mostOutgoing) }, () => link) }
    })
  const vault = vaultOf({ isIndexed: true })

  const most = await linksOfNote(1000)(vault, 'a.md')
  expect([most.links.length, most.backlinks, most.linksPartial]).toEqual([1000, 7, false])
  const more = await linksOfNote(100_000)(vault, 'a.md')
  expect([more.links.length, more.backlinks, more.linksPartial]).toEqual([1000, 7, true])
})
