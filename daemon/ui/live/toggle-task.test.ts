import { describe, expect, it } from 'vitest'
import { toggleTask } from './toggle-task.ts'

describe('toggling a task', () => {
  it.each([
    ['- [ ] a', '- [x] a'],
    ['- [x] a', '- [ ] a'],
    ['  * [X] a', '  * [ ] a'],
    ['3. [ ] a', '3. [x] a'],
    ['> - [ ] a [ ]', '> - [x] a [ ]'],
    ['- [/] half done', '- [ ] half done'],
    ['no task', 'no task'],
  ])('%s', (before, after) => expect(toggleTask(before, 1)).toBe(after))

  it('touches one line alone', () => expect(toggleTask('- [ ] a\n- [ ] b\n', 2)).toBe('- [ ] a\n- [x] b\n'))
  it('leaves the text where there is no such line', () => expect(toggleTask('- [ ] a', 9)).toBe('- [ ] a'))
})
