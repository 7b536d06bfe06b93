import { expect, test } from 'vitest'
import { BRANCH, importStream, type Commit } from './import-stream.ts'

const author = { id: 'usr_a', name: 'Ada' }
const commit = (changes: Partial<Commit> = {}): Commit => ({
  author,
  at: 1_780_000_000,
  message: 'Edit plan.md\n',
  files: [{ path: 'notes/plan.md', bytes: Buffer.from('# Plan\n') }],
  ...changes,
})
const text = (commits: Commit[], isFirst = false) => importStream(commits, { isFirst }).toString()

test('a commit carries its author, its time and the bytes of its files by length', () => {
  expect(text([commit()])).toBe(
    [
      `commit ${BRANCH}`,
      'author Ada <usr_a@svc.invalid> 1780000000 +0000',
      'committer svcd <svcd@svc.invalid> 1780000000 +0000',
      'data 13',
      'Edit plan.md\n',
      `from ${BRANCH}^0`,
      'M 100644 inline "notes/plan.md"',
      'data 7',
      '# Plan\n',
      'done\n',
    ].join('\n'),
  )
})

test('only the first commit of a batch names its parent, and none when the branch does not exist yet', () => {
  const parents = (stream: string) => stream.match(/^from /gm)?.length ?? 0
  expect(parents(text([commit(), commit()]))).toBe(1)
  expect(parents(text([commit(), commit()], true))).toBe(0)
})

test('a file that is gone is deleted', () => {
  expect(text([commit({ files: [{ path: 'old.md', bytes: undefined }] })])).toContain('\nD "old.md"\n')
})

test('bytes that are no text are passed on as they are', () => {
  const bytes = Buffer.from([0xff, 0x00, 0x0a, 0xfe])
  const stream = importStream([commit({ files: [{ path: 'a.png', bytes }] })], { isFirst: true })
  expect(stream.includes(Buffer.concat([Buffer.from('data 4\n'), bytes, Buffer.from('\n')]))).toBe(true)
})

test.each([
  ['quotes and backslashes', 'a"b\\c.md', 'a\\"b\\\\c.md'],
  ['line ends', 'a\nM 100644 inline evil', 'a\\012M 100644 inline evil'],
  ['other control characters', 'a\u007fb', 'a\\177b'],
  ['control characters of several bytes', 'a\u0085b', 'a\\302\\205b'],
])('%s in a path cannot begin another command', (_name, path, quoted) => {
  expect(text([commit({ files: [{ path, bytes: undefined }] })])).toContain(`\nD "${quoted}"\n`)
})

test.each([
  ['brackets', 'Ada <root@host>', 'Ada  root@host'],
  ['line ends', 'Ada\nfrom refs/heads/x', 'Ada from refs/heads/x'],
  ['nothing but control characters', '\n\r', 'unknown'],
])('an author name of %s stays one name', (_name, name, cleaned) => {
  expect(text([commit({ author: { id: 'x', name } })])).toContain(`\nauthor ${cleaned} <x@svc.invalid> `)
})
