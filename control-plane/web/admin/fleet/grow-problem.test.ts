import { expect, test } from 'vitest'
import { growProblem } from './grow-problem.ts'

const GIB = 2 ** 30

test.each([
  ['20Gi', { size: '5Gi' }, undefined],
  ['5121Mi', { size: '5Gi' }, undefined],
  ['1Gi', { size: '5Gi' }, 'must be more than the present 5Gi: a volume never shrinks'],
  ['5Gi', { size: '5Gi' }, 'must be more than the present 5Gi: a volume never shrinks'],
  ['8Gi', { size: '5Gi', capacityBytes: 10 * GIB }, 'must be more than the present 10Gi: a volume never shrinks'],
  ['8Gi', { size: '500Gi', capacityBytes: 5 * GIB, refusedBytes: 500 * GIB }, undefined],
  ['500Gi', { size: '500Gi', capacityBytes: 5 * GIB, refusedBytes: 500 * GIB }, undefined],
  [
    '4Gi',
    { size: '500Gi', capacityBytes: 5 * GIB - 1, refusedBytes: 500 * GIB },
    'must be more than the present 5120Mi: a volume never shrinks',
  ],
  ['0Gi', { size: '5Gi' }, 'must be a whole number of Mi, Gi or Ti, such as 20Gi'],
  ['5 GB', { size: '5Gi' }, 'must be a whole number of Mi, Gi or Ti, such as 20Gi'],
  ['1Gi', undefined, undefined],
])('to grow to %s from %j: %s', (size, storage, problem) => expect(growProblem(size, storage)).toBe(problem))
