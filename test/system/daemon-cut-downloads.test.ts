import { truncate, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { call, startSvcd, type Svcd } from '../support/svcd.ts'

let daemon: Svcd
beforeAll(async () => void (daemon = await startSvcd()))
afterAll(() => daemon.remove())

const STATUS_LINE = 'HTTP/1.1 '

/**
 * Begins a download, cuts its file short and reads on, until the connection ends or the answer to a second request on it
 * arrives: a reader would take that answer for the rest of the file.
 */
async function cutDownload(path: string, { accept, file }: { accept: string; file: string }) {
  const { hostname, port, host } = new URL(daemon.url)
  const get = (target: string, type: string) => `GET ${target} HTTP/1.1\r\nhost: ${host}\r\naccept: ${type}\r\n\r\n`
  const socket = connect(Number(port), hostname)
  socket.write(get(`/api/vaults/demo-vault${path}`, accept) + get('/api/vaults', '*/*'))
  let text = ''
  try {
    for await (const chunk of socket) {
      if (text === '') await truncate(daemon.file('demo-vault', file), 1024 * 1024)
      text += (chunk as Buffer).toString('latin1')
      if (text.includes(STATUS_LINE, STATUS_LINE.length)) break
    }
  } catch {
    // The daemon has reset the connection.
  }
  const [head = ''] = text.split('\r\n\r\n', 1)
  return {
    answers: text.split(STATUS_LINE).length - 1,
    head: head.toLowerCase(),
    bytes: text.length - head.length - 4,
  }
}

test('an attachment that is cut short while it is downloaded fails', async () => {
  verifies('daemon.cut-downloads')
  const size = 64 * 1024 * 1024
  await writeFile(daemon.file('demo-vault', 'film.bin'), Buffer.alloc(size, 'x'))
  const { answers, head, bytes } = await cutDownload('/attachments/film.bin', { accept: '*/*', file: 'film.bin' })
  expect(head).toMatch(/^http\/1.1 200 /)
  expect(head).toContain(`content-length: ${size}`)
  expect(answers).toBe(1)
  expect(bytes).toBeLessThan(size)
})

test('a large note that is cut short while it is downloaded fails', async () => {
  verifies('daemon.cut-downloads')
  const content = 'word word word\n'.repeat(600_000)
  const made = await call(daemon, '/api/vaults/demo-vault/notes/long.md', {
    method: 'PUT',
    headers: { 'content-type': 'text/markdown', 'if-none-match': '*' },
    body: content,
  })
  expect(made.status).toBe(201)
  const { answers, head, bytes } = await cutDownload('/notes/long.md', { accept: 'text/markdown', file: 'long.md' })
  expect(head).toMatch(/^http\/1.1 200 /)
  expect(head).toContain(`content-length: ${content.length}`)
  expect(answers).toBe(1)
  expect(bytes).toBeLessThan(content.length)
})
