import { expect, test } from 'vitest'
import { createGitListing } from './git-listing.ts'

const blob = (digit: string) => digit.repeat(40)
const notes = [
  { path: 'a b/ü\t1.md', blob: blob('1') },
  { path: 'z.md', blob: blob('2') },
]
const listing = Buffer.from(notes.map(({ path, blob }) => `100644 blob ${blob}\t${path}\0`).join(''))

test('a listing is read the same wherever its chunks end', () => {
  for (const size of [1, 7, 64, listing.length]) {
    const seen: unknown[] = []
    const take = createGitListing((note) => seen.push(note))
    for (let at = 0; at < listing.length; at += size) take(listing.subarray(at, at + size))
    expect(seen).toEqual(notes)
  }
})
