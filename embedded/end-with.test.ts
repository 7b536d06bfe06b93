import { expect, test } from 'vitest'
import { exitCodes } from '@svc/shared/wire/exit-codes.ts'
import { explain } from './end-with.ts'

const DATA = '/srv/svc/data'
const HINT = 'Choose a folder that can be written with --data DIR.'

const failure = (code: string, syscall: string, more: { path?: string; port?: number }) =>
  Object.assign(new Error(`${code}: ${syscall} ${more.path ?? ''}`), { code, syscall, ...more })

test.each([
  { fails: 'the data folder', dataDir: DATA, path: DATA },
  { fails: 'a file in the data folder', dataDir: DATA, path: `${DATA}/secrets.json` },
  { fails: 'the folder that the data folder is made in', dataDir: DATA, path: '/srv/svc' },
  { fails: 'the root, which the data folder is made in', dataDir: DATA, path: '/' },
])('another data folder helps where a command that writes there fails at $fails', ({ dataDir, path }) => {
  for (const code of ['EACCES', 'EROFS']) {
    const { line, exitCode } = explain(failure(code, 'mkdir', { path }), dataDir)
    expect(line).toBe(`${code}: mkdir ${path}. ${HINT}`)
    expect(exitCode).toBe(exitCodes.configuration)
  }
})

test.each([
  { fails: 'a backup into a folder that cannot be written', dataDir: undefined, path: '/mnt/backup.tgz.7.partial' },
  { fails: 'a backup of a file that cannot be read', dataDir: undefined, path: `${DATA}/daemons/one/home/note.md` },
  { fails: 'a restore of a file that cannot be read', dataDir: DATA, path: '/mnt/backup.tgz' },
  { fails: 'a folder whose name only begins like the data folder', dataDir: DATA, path: `${DATA}-other/file` },
])('another data folder does not help: $fails', ({ dataDir, path }) => {
  const { line, exitCode } = explain(failure('EACCES', 'open', { path }), dataDir)
  expect(line).toBe(`EACCES: open ${path}.`)
  expect(exitCode).toBe(exitCodes.configuration)
})

test('a port that needs more rights is named, and a port that is taken', () => {
  const refused = explain(failure('EACCES', 'listen', { port: 80 }), DATA)
  expect(refused.line).toMatch(/^Port 80 needs more rights .* npm start -- --port N$/)
  expect(refused.exitCode).toBe(exitCodes.configuration)
  const taken = explain(failure('EADDRINUSE', 'listen', { port: 7380 }), DATA)
  expect(taken.line).toMatch(/^Port 7380 is taken\. .* npm start -- --port N$/)
  expect(taken.exitCode).toBe(exitCodes.tryAgain)
})
