import { get, type IncomingMessage } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { HistoryAnswer } from '@svc/shared/wire/daemon/daemon-history.api.ts'
import { Note, VaultInfo } from '@svc/shared/wire/daemon/daemon.api.ts'
import { verifies } from '../requirements.ts'
import { residentBytes, restingBytes } from '../support/daemon-memory.ts'
import { STALL_MS } from '../support/fuzz.ts'
import { slowness } from '../support/machine-speed.ts'
import { call, startSvcd, type Svcd } from '../support/svcd.ts'
import type { LongTurn } from '../support/turn-cpu.ts'

let daemon: Svcd
const demo = (path: string, options?: Parameters<typeof call>[2]) =>
  call(daemon, `/api/vaults/demo-vault${path}`, options)
const put = (path: string, body: string) =>
  demo(`/notes/${path}`, { method: 'PUT', body, headers: { 'content-type': 'text/markdown', 'if-none-match': '*' } })

beforeAll(async () => {
  daemon = await startSvcd()
})
afterAll(() => daemon.remove())

test('a note whose properties cannot be parsed is served as plain text and listed as unparsed', async () => {
  verifies('untrusted.front-matter')
  expect((await put('frozen.md', `---\n${'? '.repeat(800)}\n---\n# Title\n`)).status).toBe(201)
  const { note } = Note.parse((await demo('/notes/frozen.md')).body)
  expect([note.title, note.properties, note.problem]).toEqual(['Title', {}, 'key_not_scalar'])
  const { vault } = VaultInfo.parse((await demo('')).body)
  expect(vault.unparsed).toEqual({ count: 1, notes: [{ path: 'frozen.md', problem: 'key_not_scalar' }] })
})

test('JSON carries a megabyte of text at most, text/markdown the rest', async () => {
  verifies('untrusted.off-loop')
  const content = `# Long\n${'text \n'.repeat(500_000)}`
  const refused = await demo('/notes/long.md', { method: 'PUT', json: { content } })
  expect([refused.status, refused.body]).toMatchObject([413, { error: { code: 'payload_too_large' } }])
  expect(refused.text).toContain('text/markdown')

  const written = await put('long.md', content)
  expect(written.status).toBe(201)
  expect((await demo('/notes/long.md')).status).toBe(413)
  const read = await demo('/notes/long.md', { headers: { accept: 'text/markdown' } })
  expect([read.text === content, read.headers.get('etag')]).toEqual([true, written.headers.get('etag')])

  const { baseline } = (written.body as { note: { baseline: string } }).note
  const edited = await demo('/notes/long.md', {
    method: 'PATCH',
    json: { baseline, edits: [{ section: 'Long', op: 'insert_before', text: 'Before' }] },
  })
  expect([edited.status, edited.body]).toMatchObject([200, { matched: ['section'] }])
})

test('the history of a long note is listed, and its revisions are sent whole and restored', async () => {
  verifies('untrusted.off-loop')
  const long = (word: string) => `# Long\n${`${word} \n`.repeat(300_000)}`
  const written = await put('past.md', long('old'))
  expect(written.status).toBe(201)
  // Reading the history commits what waits, so that the next change is a revision of its own.
  expect((await demo('/history/past.md')).status).toBe(200)
  const headers = { 'content-type': 'text/markdown', 'if-match': written.headers.get('etag')! }
  const next = await demo('/notes/past.md', { method: 'PUT', body: long('new'), headers })
  expect(next.status).toBe(200)
  const { revisions } = HistoryAnswer.parse((await demo('/history/past.md')).body)
  const [to, from] = revisions!.map(({ rev }) => rev)
  const past = HistoryAnswer.parse((await demo(`/history/past.md?rev=${from}`)).body)
  expect(past.content === long('old')).toBe(true)
  const { diff } = HistoryAnswer.parse((await demo(`/history/past.md?from=${from}&to=${to}`)).body)
  expect([diff!.includes('-old'), diff!.includes('+new'), diff!.length > 1024 ** 2]).toEqual([true, true, true])
  const { baseline } = (next.body as { note: { baseline: string } }).note
  const restored = await demo('/history/past.md/restore', { method: 'POST', json: { rev: from, baseline } })
  expect(restored.status).toBe(200)
})

test('a note of just 10 MB is stored, one byte more is refused with the limit', async () => {
  verifies('limits.note')
  const put = (name: string, bytes: number) =>
    demo(`/notes/${name}`, {
      method: 'PUT',
      body: Buffer.alloc(bytes, 'line\n'),
      headers: { 'content-type': 'text/markdown', 'if-none-match': '*' },
    })
  const limit = 10 * 1024 * 1024
  expect((await put('limit.md', limit)).status).toBe(201)
  const refused = await put('larger.md', limit + 1)
  expect([refused.status, refused.body]).toMatchObject([413, { error: { code: 'payload_too_large' } }])
  expect((await demo('/notes/larger.md')).status).toBe(404)
})

test('a note of 10 MB comes and goes without holding the event loop', async () => {
  verifies('untrusted.off-loop')
  const preload = new URL('../support/turn-cpu.ts', import.meta.url).href
  const watched = await startSvcd({ env: { NODE_OPTIONS: `--import=${preload}` } })
  try {
    const path = '/api/vaults/demo-vault/notes/'
    const content = `# Long\n${'words and “more” words of a line\n'.repeat(280_000)}`
    const send = async (name: string) => {
      const headers = { 'content-type': 'text/markdown', 'if-none-match': '*' }
      const { status } = await call(watched, path + name, { method: 'PUT', body: content, headers })
      expect(status).toBe(201)
    }
    const fetchBack = async (name: string) => {
      const { text } = await call(watched, path + name, { headers: { accept: 'text/markdown' } })
      expect(text === content).toBe(true)
    }
    // The first requests load and compile code, so do not measure them.
    await send('warm.md')
    await fetchBack('warm.md')

    // The lowest of several measurements is the cost of the work; a single one may include a garbage collection.
    const longest = async (work: (name: string) => Promise<unknown>) => {
      const turns: number[] = []
      for (const name of ['one.md', 'two.md', 'three.md', 'four.md', 'five.md']) {
        const seen: number[] = []
        const onMessage = (message: LongTurn) => void seen.push(message.cpuMs)
        watched.process.on('message', onMessage)
        await work(name)
        await call(watched, '/api/health')
        watched.process.off('message', onMessage)
        turns.push(Math.max(0, ...seen))
      }
      return Math.min(...turns)
    }
    expect(await longest(send)).toBeLessThan(STALL_MS * slowness())
    expect(await longest(fetchBack)).toBeLessThan(STALL_MS * slowness())
  } finally {
    await watched.remove()
  }
})

test('readers of a large note who are slow take no memory for its text', async () => {
  verifies('limits.note')
  const body = Buffer.alloc(10 * 1024 ** 2, 'line\n')
  const headers = { 'content-type': 'text/markdown' }
  expect((await demo('/notes/slow.md', { method: 'PUT', body, headers })).status).toBe(201)
  // What the note itself leaves to do would count: its links, and its commit.
  expect((await demo('/history/slow.md')).status).toBe(200)
  const before = await restingBytes(daemon)
  const readers = await Promise.all(Array.from({ length: 20 }, () => readHead('/notes/slow.md')))
  expect(readers.map(({ statusCode, headers: its }) => [statusCode, its['content-length']])).toEqual(
    readers.map(() => [200, String(body.length)]),
  )
  expect((await residentBytes(daemon)) - before).toBeLessThan(100 * 1024 ** 2)
  let received = 0
  for await (const chunk of readers[0]!) received += (chunk as Buffer).length
  expect(received).toBe(body.length)
  for (const reader of readers) reader.destroy()
})

/** The response to a request for Markdown, of which nothing has been read yet. */
function readHead(path: string): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const url = `${daemon.url}/api/vaults/demo-vault${path}`
  get(url, { headers: { accept: 'text/markdown' }, agent: false }, resolve).on('error', reject)
  return promise
}
