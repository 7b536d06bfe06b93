import { expect, test } from 'vitest'
import { NoteRecordTable } from './note-record-table.ts'

const bytesOf = (text: string) => new Uint8Array(Buffer.from(text))

test('a record in the block is that of its note, however many notes have a number before it', () => {
  const records = new NoteRecordTable()
  records.useBlock(bytesOf('..abcd'))
  for (let number = 0; number < 100; number++) records.put(`new ${number}.md`, bytesOf('new'))
  records.putInBlock('a.md', 2, 4)
  records.putInBlock('b.md', 4, 6)
  expect(['a.md', 'b.md'].map((path) => records.record(records.numberOf(path)!))).toEqual([
    bytesOf('ab'),
    bytesOf('cd'),
  ])
})

test('another block drops the records of the one before and keeps those outside', () => {
  const records = new NoteRecordTable()
  records.useBlock(bytesOf('..ab'))
  records.putInBlock('a.md', 2, 4)
  records.put('c.md', bytesOf('c'))
  const number = records.numberOf('a.md')!
  records.useBlock(bytesOf('....'))
  expect([records.has('a.md'), records.record(number)]).toEqual([false, undefined])
  expect(records.record(records.numberOf('c.md')!)).toEqual(bytesOf('c'))
})

test('a record outside the block takes the place of that in it', () => {
  const records = new NoteRecordTable()
  records.useBlock(bytesOf('..ab'))
  records.putInBlock('a.md', 2, 4)
  records.put('a.md', bytesOf('new'))
  records.putInBlock('a.md', 2, 4)
  expect(records.record(records.numberOf('a.md')!)).toEqual(bytesOf('new'))
  records.remove('a.md')
  expect([records.numberOf('a.md'), records.count, records.changed]).toEqual([undefined, 1, 0])
})

test('a number without a record has none, never the whole block', () => {
  const records = new NoteRecordTable()
  records.useBlock(bytesOf('..ab'))
  expect(records.record(0)).toBeUndefined()
})
