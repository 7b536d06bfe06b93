import { expect, test } from 'vitest'
import { verifies } from '../../../test/requirements.ts'
import { identityKey, newNameProblem, parseNewPath, pathProblem } from './vault-path.ts'

test.each(['a.md', 'notes/plan.md', 'Über uns – café.md', 'a b/c d.md', '100%.md', 'a:b.md', 'x'.repeat(255)])(
  '%s can be asked for',
  (path) => expect(pathProblem(path)).toBeUndefined(),
)

test.each([
  '',
  '/etc/passwd',
  '../x.md',
  'a/../../x.md',
  'a/./b.md',
  'a//b.md',
  'a/',
  '.svc/vault.json',
  'a/.git/config',
  '.hidden.md',
  'a\\..\\b.md',
  'a\0b.md',
  'a\nb.md',
  '%2e%2e/x.md',
  'a%2fb.md',
  'a%5cb',
  '\ud800.md',
  'x'.repeat(256),
  'é'.repeat(128),
  'a/'.repeat(2500),
])('%j is refused', (path) => {
  verifies('notes.safe-paths')
  expect(pathProblem(path)).toBeTypeOf('string')
})

test.each(['CON.md', 'a/nul', 'com1.txt', 'a:b.md', 'a./b.md', 'a /b.md', 'a ', ' a.md', 'a\u202eb.md', 'a\u200bb.md'])(
  '%j is not made',
  (path) => expect(newNameProblem(path)).toBeTypeOf('string'),
)

test('a new path has room for where it lies in the trash and in a backup', () => {
  const folders = 'é'.repeat(127) + '/'
  expect(parseNewPath(`${folders.repeat(8)}a.md`)).toContain('a.md')
  expect(newNameProblem(`${folders.repeat(8)}${'a'.repeat(9)}.md`)).toBe('is longer than 2048 bytes')
})

test('new names are in normal form C, and twins share a key', () => {
  expect(parseNewPath('Cafe\u0301.md')).toBe('Café.md')
  expect(identityKey('Cafe\u0301/A.md')).toBe(identityKey('café/a.MD'))
})
