import { ChangeSet } from '@codemirror/state'
import { expect, test } from 'vitest'
import { toText } from '../../edits/to-text.ts'
import { NoteDocument } from '../note-document.ts'
import { replayLog } from './replay-log.ts'
import { sessionRecord, snapshotRecords, updatesRecord } from './session-records.ts'

const by = { kind: 'local' } as const
const facts = { epoch: 'e1', path: 'a.md', baseline: 'b0', by, agreed: toText('one\n') }

function typed(document: NoteDocument, insert: string) {
  const changes = ChangeSet.of({ from: document.text.length, insert }, document.text.length, '\n')
  const { version } = document
  const updates = [{ changes, clientID: 'c1', by }]
  document.apply(updates)
  return updatesRecord({ epoch: 'e1', version, updates }, { client: 'c1', seq: version + 1, by })
}

test('the first record and its updates replay to the text, the file and the receipt', async () => {
  const document = new NoteDocument({ text: 'one\n' })
  const records = [sessionRecord(facts, document.mark()), typed(document, 'two\n'), typed(document, 'three\n')]

  const { sessions, receipts } = await replayLog(records)

  expect(sessions).toMatchObject([
    { path: 'a.md', text: 'one\ntwo\nthree\n', files: [{ baseline: 'b0', text: 'one\n' }] },
  ])
  expect(receipts).toMatchObject([{ client: 'c1', seq: 2 }])
})

test('a snapshot taken during a save knows both texts that the file may have', async () => {
  const document = new NoteDocument({ text: 'one\n' })
  typed(document, 'two\n')
  const { version } = document.startSaving('one\n')
  typed(document, 'three\n')

  const records = snapshotRecords(facts, document, { version, baseline: 'b1' })
  typed(document, 'four\n')
  const { sessions } = await replayLog(records.map((make) => make()))

  expect(sessions).toMatchObject([
    {
      text: 'one\ntwo\nthree\n',
      files: [
        { baseline: 'b0', text: 'one\n' },
        { baseline: 'b1', text: 'one\ntwo\n' },
      ],
    },
  ])
})
