import assert from 'node:assert/strict'
import { Edit } from '@svc/shared/wire/daemon/note-edit.ts'
import { costOfEdits } from '../../daemon/src/markdown/note-cost.ts'
import { MAX_ON_LOOP } from '../../daemon/src/note-jobs/run-note-job.ts'
import { applySplices, planEdits } from '../../daemon/src/edits/plan-edits.ts'
import { rebaseSplices } from '../../daemon/src/edits/rebase-edits.ts'
import { unifiedDiff } from '../../daemon/src/edits/unified-diff.ts'
import type { FuzzTarget } from '../support/fuzz.ts'

const BREAK = '\u0001'
const join = (...parts: string[]) => parts.join(BREAK)

/** Edits of a note, with a rebase on a later text: everything outside the edited passages stays. */
export const target: FuzzTarget = {
  name: 'edits',
  input: 'text',
  seeds: [
    join('# A\n\none two\n', 'one', '1', 'A', 'title', 'zero\n# A\n\none two\n'),
    join('---\na: 1\nb: [x]\n---\n# A\n## B\ntext\n', 'text', 'é', 'A > B', 'b', ''),
    join('“quoted”  text\r\nnext\r\n', '"quoted" text', 'q', '## B', 'c', 'next\r\n'),
  ],
  words: [BREAK, ' > ', '# ', '\n---\n', 'a: |\n', '\u00a0', '\u2019', '…', '\ufeff', '>'],
  isOffLoop(input) {
    const { text, later, edit } = editOf(input)
    return edit !== undefined && costOfEdits([text, later], [edit]) > MAX_ON_LOOP
  },
  call(input) {
    const { text, later, edit } = editOf(input)
    if (edit) tryEdit(text, edit, later)
  },
}

function editOf(input: string): { text: string; later: string; edit: Edit | undefined } {
  const [text = '', oldText = '', newText = '', section = '', property = '', later = ''] = input.split(BREAK)
  const kinds = [
    { oldText, newText },
    { oldText, newText, before: section, occurrence: 1 },
    { section, op: 'append', text: newText },
    { section, op: 'replace', text: newText },
    { property, value: newText },
    { property, value: { [newText]: [section] } },
    { property, delete: true },
  ]
  return { text, later, edit: Edit.safeParse(kinds[input.length % kinds.length]).data }
}

function tryEdit(text: string, edit: Edit, later: string): void {
  const { splices } = planEdits(text, [edit])
  const edited = applySplices(text, splices)
  const [first] = splices
  if (first) assert.ok(edited.startsWith(text.slice(0, first.start)) && edited.endsWith(text.slice(first.end)))
  assert.ok(unifiedDiff(text, edited).length < 5000)
  rebaseSplices(text, later, splices)
}
