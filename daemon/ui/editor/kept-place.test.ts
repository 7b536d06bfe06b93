import { ChangeSet } from '@codemirror/state'
import { expect, test } from 'vitest'
import type { TextChanged } from '../live/live-view.ts'
import { keptPlace } from './kept-place.ts'

/** The live text of a note that no editor shows. */
function liveText(text: string) {
  const followers = new Set<(change: TextChanged) => void>()
  const tell = (changes: ChangeSet) => followers.forEach((follower) => follower({ origin: 'own', changes }))
  return {
    text: () => text,
    followers,
    follow: (follower: (change: TextChanged) => void) => {
      followers.add(follower)
      return () => void followers.delete(follower)
    },
    change: (next: (now: string) => string) => {
      const before = text.length
      text = next(text)
      tell(ChangeSet.of({ from: 0, to: before, insert: text }, before, '\n'))
    },
    type: (from: number, insert: string) => {
      tell(ChangeSet.of({ from, insert }, text.length, '\n'))
      text = text.slice(0, from) + insert + text.slice(from)
    },
  }
}

test('what is inserted after the editor was left goes to its place, which moved with the text', () => {
  const live = liveText('first\nlast\n')
  const place = keptPlace(live, 6)
  live.type(0, 'new\n')
  live.type(15, 'behind\n')
  place.insert('![[picture.png]]\n')
  expect(live.text()).toBe('new\nfirst\n![[picture.png]]\nlast\nbehind\n')
  place.stop()
  expect(live.followers.size).toBe(0)
})
