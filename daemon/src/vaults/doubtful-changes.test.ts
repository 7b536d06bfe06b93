import { expect, test } from 'vitest'
import { placedAt, type Evidence } from '../audit/evidence.ts'
import { createDoubtfulChanges } from './doubtful-changes.ts'

const stamp = { ino: 1, size: 2, mtimeMs: 3, ctimeMs: 4 }
const other = { ...stamp, ino: 5 }

test.each<[string, Evidence, boolean, boolean, boolean]>([
  ['a file that was put there', placedAt('a.md', stamp), true, false, false],
  ['a file that was moved to the trash', placedAt('.svc/trash/1/content', stamp), false, false, true],
  ['a file that was erased', { at: 'a.md', is: 'absent' }, false, false, true],
])('%s names who did it only while the file looks like it', (_, evidence, ifPlaced, ifOther, ifGone) => {
  const changes = createDoubtfulChanges()
  const change = { path: 'a.md', by: { kind: 'local' }, evidence } as const
  changes.add(change)
  const found = [stamp, other, undefined].map((seen) => changes.find('a.md', seen) === change)
  expect(found).toEqual([ifPlaced, ifOther, ifGone])
  expect(changes.find('b.md', stamp)).toBeUndefined()
  changes.settled('a.md')
  expect([stamp, undefined].map((seen) => changes.find('a.md', seen))).toEqual([undefined, undefined])
})
