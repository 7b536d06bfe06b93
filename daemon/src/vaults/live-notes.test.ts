import { expect, test } from 'vitest'
import { verifies } from '../../../test/requirements.ts'
import { refuseUnsaved } from './live-notes.ts'

const failure = new Error('no room')
const refused = (unsaved: string, paths: string[]): boolean => {
  try {
    refuseUnsaved(new Map([[unsaved, failure]]), paths)
    return false
  } catch (error) {
    expect(error).toBe(failure)
    return true
  }
}

test.each([
  ['the note itself', 'f/a.md', ['b.md', 'f/a.md'], true],
  ['a folder above it', 'f/g/a.md', ['f'], true],
  ['its path in other capitals', 'F/a.md', ['f/A.md'], true],
  ['its path in another normal form', 'cafe\u0301/a.md', ['caf\u00E9'], true],
  ['another note', 'f/a.md', ['f/b.md', 'a.md'], false],
  ['a folder whose name begins alike', 'folder/a.md', ['fold'], false],
  ['nothing', 'a.md', [], false],
])('a change of %s', (_what, unsaved, paths, isRefused) => {
  verifies('live.unsaved-apart')
  expect(refused(unsaved, paths)).toBe(isRefused)
})
