import { expect, test } from 'vitest'
import { createFrequentStatements } from './frequent-statements.ts'

const use = (statements: ReturnType<typeof createFrequentStatements>, text: string, times: number) =>
  Array.from({ length: times }, () => statements.nameOf(text)).at(-1)

test('a statement gets a name with its twentieth use, and keeps it', () => {
  const statements = createFrequentStatements()
  expect(use(statements, 'select 1', 19)).toBeUndefined()
  const name = use(statements, 'select 1', 1)
  expect(name).toBeDefined()
  expect(use(statements, 'select 2', 20)).not.toBe(name)
  expect(statements.nameOf('select 1')).toBe(name)
})

test.each([
  'select * from t',
  'delete from t returning *',
  'begin',
  'commit',
  'set lock_timeout = 1',
  'select count(*) from t',
])('%s is never prepared', (text) => {
  expect(use(createFrequentStatements(), text, 1_000)).toBeUndefined()
})

test('the number of names is limited, and the frequent statements keep theirs', () => {
  const statements = createFrequentStatements()
  const first = use(statements, 'select 0', 20)
  const names = Array.from({ length: 200 }, (_, index) => use(statements, `select ${index}`, 20))
  expect(new Set(names.filter(Boolean)).size).toBe(64)
  expect(statements.nameOf('select 0')).toBe(first)
})

test('texts that come once each are forgotten', () => {
  const statements = createFrequentStatements()
  for (let index = 0; index < 10_000; index += 1) statements.nameOf(`select ${index}`)
  expect(use(statements, 'select 9999', 20)).toBeDefined()
})
