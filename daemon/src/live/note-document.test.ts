import { describe, expect, it } from 'vitest'
import { NoteDocument } from './note-document.ts'

const outside = { kind: 'outside', name: 'Outside edit' } as const
const push = (
  document: NoteDocument,
  version: number,
  clientID: string,
  ...updates: (number | [number, ...string[]])[][]
) => document.apply(document.rebase({ version, clientID, updates }))

describe('NoteDocument', () => {
  it('puts updates of two clients into one order', () => {
    const document = new NoteDocument({ text: 'ab' })
    push(document, 0, 'ada', [1, [0, 'X'], 1])
    push(document, 0, 'bob', [2, [0, 'Y']])
    expect(document.text).toBe('aXbY')
    expect(document.since(0)).toHaveLength(2)
    expect(document.since(3)).toBeUndefined()
  })

  it('leaves out updates that it has already', () => {
    const document = new NoteDocument({ text: '' })
    push(document, 0, 'ada', [[0, 'once']])
    expect(document.rebase({ version: 0, clientID: 'ada', updates: [[[0, 'once']]] })).toEqual([])
  })

  it('moves a caret behind what its own client types, and leaves it before what others write there', () => {
    const document = new NoteDocument({ text: 'The end' })
    push(document, 0, 'ada', [4, [0, 'happy '], 3])
    push(document, 1, 'bob', [4, [0, 'very '], 9])
    const placeOf = (clientID: string) => document.placeAt({ version: 0, upTo: 2, clientID })?.(4)
    expect([placeOf('ada'), placeOf('bob'), placeOf('eve')]).toEqual([15, 9, 4])
    expect(document.placeAt({ version: 0, upTo: 1, clientID: 'ada' })?.(4)).toBe(10)
  })

  it('merges a change of the file over what is unsaved, and counts only that as unsaved afterwards', () => {
    const document = new NoteDocument({ text: 'one\ntwo\n' })
    push(document, 0, 'ada', [3, [0, ' typed'], 5])
    document.mergeFile('one\ntwo outside\n', 'outside', outside)
    expect(document.text).toBe('one typed\ntwo outside\n')
    expect(document.agreed).toBe('one\ntwo outside\n')
    expect(document.isSaved).toBe(false)
  })

  it('keeps both words where the file and a person replaced the same one, and counts only the typed one as unsaved', () => {
    const document = new NoteDocument({ text: 'say hello to all\n' })
    push(document, 0, 'ada', [4, [5, 'Hi'], 8])
    document.mergeFile('say GREETINGS to all\n', 'outside', outside)
    expect(document.text).toBe('say Hi GREETINGS to all\n')
    document.mergeFile('say GREETINGS to everybody\n', 'outside', outside)
    expect(document.text).toBe('say Hi GREETINGS to everybody\n')
  })

  it('counts what came during a save as unsaved', () => {
    const document = new NoteDocument({ text: 'a' })
    push(document, 0, 'ada', [1, [0, 'b']])
    expect(document.startSaving('a')).toEqual({ file: 'ab', version: 1 })
    push(document, 1, 'ada', [2, [0, 'c']])
    document.saved()
    expect([document.agreed, document.text, document.isSaved]).toEqual(['ab', 'abc', false])
  })

  it('takes back what came after a mark, and still knows what the file has', () => {
    const document = new NoteDocument({ text: 'a' })
    push(document, 0, 'ada', [1, [0, 'b']])
    const mark = document.mark()
    push(document, 1, 'ada', [2, [0, 'c']])
    document.rollBack(mark)
    expect([document.text, document.version, document.isSaved]).toEqual(['ab', 1, false])
    expect(document.since(0)).toHaveLength(1)
  })
})
