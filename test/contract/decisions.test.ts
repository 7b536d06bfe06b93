import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

test('decision records are numbered without a gap or a twin, and each heading has the number of its file', () => {
  const folder = new URL('../../docs/adr/', import.meta.url)
  const records = readdirSync(folder)
    .filter((name) => /^\d/.test(name))
    .sort()
  expect(records.map((name) => Number(name.slice(0, 4)))).toEqual(records.map((_, index) => index + 1))
  for (const [index, name] of records.entries())
    expect(readFileSync(new URL(name, folder), 'utf8'), name).toMatch(new RegExp(`^# ${index + 1}\\. `))
})
