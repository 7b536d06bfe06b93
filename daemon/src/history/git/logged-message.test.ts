import { expect, test } from 'vitest'
import { loggedMessage } from './logged-message.ts'

test('a record has a commit, its parent and its message', () => {
  expect(loggedMessage('\nc2 c1\nChange a.md\n\nAuthor: Ada\n')).toEqual({
    commit: 'c2',
    parent: 'c1',
    message: 'Change a.md\n\nAuthor: Ada\n',
  })
})

test('the first commit has no parent', () => {
  // Git writes the space before the parents even if there are none.
  expect(loggedMessage('c1 \nAdd a.md\n')).toEqual({ commit: 'c1', parent: undefined, message: 'Add a.md\n' })
})
