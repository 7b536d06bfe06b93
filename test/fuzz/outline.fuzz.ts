import assert from 'node:assert/strict'
import { costOfNote } from '../../daemon/src/markdown/note-cost.ts'
import { readNoteFacts } from '../../daemon/src/markdown/note-facts.ts'
import { outlineOf } from '../../daemon/src/markdown/outline.ts'
import { MAX_ON_LOOP } from '../../daemon/src/note-jobs/run-note-job.ts'
import type { FuzzTarget } from '../support/fuzz.ts'

/** The Markdown outline and the facts of a note: headings are lines of the text, in order. */
export const target: FuzzTarget = {
  name: 'outline',
  input: 'text',
  seeds: [
    '# One\n\ntext #tag\n\n## Two ##\n',
    'Title\n=====\n\n```md\n# no\n```\n',
    '---\na: 1\n---\n# Head\n- x\n---\n',
  ],
  words: ['# ', '## ', ' #\n', '===\n', '---\n', '```\n', '~~~~\n', '\r\n', '#tag/a', '    ', '> '],
  isOffLoop: (text) => costOfNote(text) > MAX_ON_LOOP,
  call(text) {
    let before = 0
    for (const { start, end, level, text: title } of outlineOf(text)) {
      assert.ok(start >= before && end > start && end <= text.length && level >= 1 && level <= 6)
      assert.ok(text.slice(start, end).includes(title))
      before = end
    }
    const { title, tags } = readNoteFacts('n.md', Buffer.from(text), text)
    assert.ok(title !== '' && tags.every((tag) => tag !== ''))
  },
}
