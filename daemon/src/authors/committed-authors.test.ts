import { expect, test } from 'vitest'
import { verifies } from '../../../test/requirements.ts'
import { blobNameOf } from '../files/baseline.ts'
import type { NoteHistory } from '../history/note-history.ts'
import type { NoteRevision, NoteTexts } from '../history/note-texts.ts'
import { editJobs } from '../note-jobs/edit-jobs.ts'
import type { RunNoteJob } from '../note-jobs/run-note-job.ts'
import { createCommittedAuthors } from './committed-authors.ts'

const jobs: Record<string, (input: never) => unknown> = editJobs
const runNoteJob: RunNoteJob = async ({ job, input }) => jobs[job]!(input as never) as never

test('a history that was opened anew is read, even if it has been written to as often', async () => {
  verifies('authors.now')
  const contents = new Map<string, Buffer>()
  const revisions: NoteRevision[] = []
  const write = (rev: string, name: string, text: string) => {
    const content = blobNameOf(Buffer.from(text))
    contents.set(content, Buffer.from(text))
    revisions.push({
      rev,
      author: { id: name, name },
      atMs: 0,
      isFound: false,
      written: undefined,
      content,
      path: 'n.md',
    })
  }
  let reads = 0
  const texts: NoteTexts = {
    async revisions(_, { since }) {
      reads++
      const first = revisions.findIndex(({ rev }) => rev === since) + 1
      return { revisions: revisions.slice(first), hasOlder: false, isSince: first > 0 }
    },
    sizes: async (_, names) => names.map((name) => contents.get(name)!.length),
    contents: async (_, names) => names.map((name) => contents.get(name)!),
  }
  const opened = () => ({ writes: () => 2 }) as NoteHistory
  const find = createCommittedAuthors({ texts, runNoteJob })
  const textIn = async (history: NoteHistory) => (await find({ identity: 'v' }, history, 'n.md')).authorship.text
  write('r1', 'Ann', 'one\n')
  const history = opened()
  expect(await textIn(history)).toBe('one\n')
  expect([await textIn(history), reads]).toEqual(['one\n', 1])
  write('r2', 'Ben', 'one\ntwo\n')
  expect(await textIn(opened())).toBe('one\ntwo\n')
})
