import { expect, test } from 'vitest'
import { z } from 'zod'
import { fileDate, fileTimeText } from './file-date.ts'

test.each([
  [0, '1970-01-01T00:00:00.000Z'],
  [1_700_000_000_123.4568, '2023-11-14T22:13:20.123Z'],
  [-372_988_800_500, '1958-03-07T23:59:59.500Z'],
  [8.64e15, '9999-12-31T23:59:59.999Z'],
  [8.64e15 + 1, '9999-12-31T23:59:59.999Z'],
  [9.223372036854776e21, '9999-12-31T23:59:59.999Z'],
  [-8.64e15 - 1, '0001-01-01T00:00:00.000Z'],
  [-9.223372036854776e21, '0001-01-01T00:00:00.000Z'],
])('%d is shown as %s, which the API accepts', (mtimeMs, text) => {
  expect(fileTimeText(mtimeMs)).toBe(text)
  expect(z.iso.datetime().parse(text)).toBe(text)
  expect(fileDate(mtimeMs).toUTCString()).not.toContain('Invalid')
})
