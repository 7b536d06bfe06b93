import { expect, test } from 'vitest'
import { describeVariables, flag, integer, nameList, oneOf, port, readVariables, text, url } from './environment.ts'

const table = { HOST: { read: text, initial: 'here', meaning: 'Where.' }, PORT: { read: port, meaning: 'Which.' } }

test('an empty variable counts as unset, and unset ones have their initial value', () => {
  expect(readVariables(table, { HOST: '', PORT: undefined })).toEqual({ HOST: 'here', PORT: undefined })
  expect(readVariables(table, { HOST: 'there', PORT: '80', OTHER: 'x' })).toEqual({ HOST: 'there', PORT: 80 })
})

test('all problems are reported at once', () => {
  const two = { PORT: { read: port, meaning: '' }, LOUD: { read: flag, meaning: '' } }
  expect(() => readVariables(two, { PORT: '70000', LOUD: 'yes' })).toThrow(
    'PORT: Too big: expected number to be <=65535\nLOUD: Invalid option: expected one of "0"|"1"|"true"|"false"',
  )
})

test('variables are described one per line, with their initial value', () => {
  expect(describeVariables(table)).toBe('  HOST  Where. (default here)\n  PORT  Which.')
})

const upTo9 = integer(1, 9)
test.each([
  [upTo9('9'), { value: 9 }],
  [upTo9(' 1e0 '), { value: 1 }],
  [upTo9('0'), { problem: 'Too small: expected number to be >=1' }],
  [upTo9('10'), { problem: 'Too big: expected number to be <=9' }],
  [upTo9('1.5'), { problem: 'Invalid input: expected int, received number' }],
  [upTo9('one'), { problem: 'Invalid input: expected number, received NaN' }],
  [upTo9('Infinity'), { problem: 'Invalid input: expected number, received Infinity' }],
  [flag('true'), { value: true }],
  [flag('0'), { value: false }],
  [oneOf(['a', 'b'])('b'), { value: 'b' }],
  [oneOf(['a', 'b'])('c'), { problem: 'Invalid option: expected one of "a"|"b"' }],
  [url(' http://proxy:3128 '), { value: 'http://proxy:3128' }],
  [url('proxy'), { problem: 'Invalid URL' }],
  [nameList('One, two,,'), { value: ['one', 'two'] }],
])('%j', (read, expected) => expect(read).toEqual(expected))
