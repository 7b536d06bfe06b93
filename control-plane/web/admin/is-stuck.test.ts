import { expect, test } from 'vitest'
import { isStuck } from './is-stuck.ts'

test.each([
  ['just begun', { expired: false, executorAlive: true }, false],
  ['whose process was lost a moment ago', { expired: false, executorAlive: false }, false],
  ['that takes long', { expired: true, executorAlive: true }, false],
  ['whose process was lost', { expired: true, executorAlive: false }, true],
])('of an operation %s', (_what, claim, expected) => expect(isStuck(claim)).toBe(expected))
