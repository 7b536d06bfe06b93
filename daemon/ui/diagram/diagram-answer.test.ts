import { expect, test } from 'vitest'
import { readDiagramAnswer } from './diagram-answer.ts'

test.each<[string, unknown, ReturnType<typeof readDiagramAnswer>]>([
  ['reads that the frame is ready', { ready: true }, { kind: 'ready' }],
  [
    'reads a picture and rounds its sides up',
    { id: 3, svg: '<svg/>', width: 10.2, height: 4 },
    { kind: 'picture', id: 3, picture: { svg: '<svg/>', width: 11, height: 4 } },
  ],
  [
    'reads a problem, cut off',
    { id: 1, problem: 'x'.repeat(900) },
    { kind: 'problem', id: 1, problem: 'x'.repeat(500) },
  ],
  ['takes no picture without a side', { id: 1, svg: '<svg/>', width: 10 }, undefined],
  ['takes no endless picture', { id: 1, svg: '<svg/>', width: 10, height: Infinity }, undefined],
  ['takes no picture of many megabytes', { id: 1, svg: 'x'.repeat(5_000_001), width: 1, height: 1 }, undefined],
  ['takes nothing else', 'ready', undefined],
  ['takes no null', null, undefined],
])('%s', (_what, data, read) => {
  expect(readDiagramAnswer(data)).toEqual(read)
})
