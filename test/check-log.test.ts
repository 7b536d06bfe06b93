import { expect, test } from 'vitest'
import { checkLog } from './support/check-log.ts'

test('a log that tells of a bug fails the test that reads nothing of it', () => {
  const fine = '{"level":"warn","msg":"a request was refused"}\n'
  const bug = '{"level":"error","msg":"a request failed by a bug"}'
  expect(() => checkLog('the log', fine)).not.toThrow()
  expect(() => checkLog('the log', `${fine}${bug}\n${fine}`)).toThrow(`the log tells of a bug: ${bug}`)
  expect(() => checkLog('the log', '{"level":"error","msg":"a request failed unexpectedly"}')).toThrow('tells of a bug')
})
