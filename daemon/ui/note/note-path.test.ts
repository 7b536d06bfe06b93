import { describe, expect, it } from 'vitest'
import { notePath } from './note-path.ts'

describe('the path of a new note', () => {
  it.each([
    ['Plan', 'Plan.md'],
    [' team / Plan ', 'team/Plan.md'],
    ['/team//Plan.md', 'team/Plan.md'],
    ['Cafe\u0301', 'Café.md'],
    ['v1.2', 'v1.2.md'],
    ['日記', '日記.md'],
  ])('%j becomes %s', (typed, path) => expect(notePath(typed)).toEqual({ path }))

  it.each(['', '  ', 'team/', '../up', 'a/./b', 'a:b', 'what?', '.hidden', '.svc/x'])('refuses %j', (typed) =>
    expect(notePath(typed)).toHaveProperty('problem'),
  )
})
