import { existsSync, readFileSync, readdirSync, readlinkSync } from 'node:fs'
import { truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { startRelayedDaemon, type RelayedPerson } from '../support/relayed-daemon.ts'
import { standsStill } from '../support/stands-still.ts'
import { until } from '../support/until.ts'

const MB = 1024 * 1024
const LARGE_BYTES = 256 * MB
const NOTE_BYTES = MB / 2
const VAULT = '/api/vaults/demo-vault'

let daemon: Awaited<ReturnType<typeof startRelayedDaemon>>
let person: RelayedPerson

const at = (path: string) => join(daemon.home, 'vaults/demo-vault', path)

beforeAll(async () => {
  daemon = await startRelayedDaemon()
  person = daemon.person('admin')
  await writeFile(at('large.note.md'), 'words \n\n'.repeat(NOTE_BYTES / 8))
  await writeFile(at('film.mp4'), '')
  await truncate(at('film.mp4'), LARGE_BYTES)
  await until(
    'the note is known',
    async () => (await person.call(`${VAULT}/notes/large.note.md`, inMarkdown)).status === 200,
  )
})
afterAll(() => daemon.close())

const inMarkdown = { headers: { accept: 'text/markdown' } }
/** The bytes that this process has read, in steps that hide the reads of small requests. */
const readSteps = () => {
  const [, bytes] = /^rchar: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8')) ?? []
  return Math.floor(Number(bytes) / (LARGE_BYTES / 8))
}
const openFiles = () =>
  readdirSync('/proc/self/fd').flatMap((name) => {
    try {
      return [readlinkSync(`/proc/self/fd/${name}`)]
    } catch {
      return [] // closed since it was listed
    }
  })

test.runIf(existsSync('/proc/self/io')).each([
  { what: 'an attachment', path: '/attachments/film.mp4', given: {}, told: { 'content-length': `${LARGE_BYTES}` } },
  {
    what: 'a large note',
    path: '/notes/large.note.md',
    given: inMarkdown,
    told: { 'content-length': `${NOTE_BYTES}` },
  },
  { what: 'an export', path: '/export', given: {}, told: { 'content-type': 'application/zip' } },
])('HEAD of $what has the headers of GET, reads no content and leaves nothing open', async ({ path, given, told }) => {
  verifies('http.head')
  const before = readSteps()
  const answer = await person.call(VAULT + path, { method: 'HEAD', ...given })
  expect([answer.status, answer.text]).toEqual([200, ''])
  expect(Object.fromEntries(answer.headers)).toMatchObject(told)
  await standsStill(readSteps, () => person.call(`${VAULT}/tree`))
  expect(readSteps() - before).toBeLessThan(4)
  await until('nothing is open', async () => !openFiles().some((file) => file.startsWith(at(''))))
})

test('HEAD of a stream of events opens none', async () => {
  verifies('http.head')
  const answer = await daemon.local(`${VAULT}/events`, { method: 'HEAD' })
  expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET'])
  expect((await daemon.local('/mcp', { method: 'HEAD' })).status).toBe(405)
})
