import { rename } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { verifies } from '../requirements.ts'
import { newClientId } from '../support/live-client.ts'
import { call, startSvcd, type Svcd } from '../support/svcd.ts'
import { until } from '../support/until.ts'

// Which note a returning client gets when its note has moved away from the path.

let daemon: Svcd
beforeAll(async () => {
  daemon = await startSvcd()
})
afterAll(() => daemon.remove())

const vault = '/api/vaults/demo-vault'
async function put(path: string, text: string) {
  const headers = { 'if-none-match': '*', 'content-type': 'text/markdown' }
  expect((await call(daemon, `${vault}/notes/${path}`, { method: 'PUT', headers, body: text })).status).toBe(201)
}
const move = async (from: string, to: string) =>
  expect((await call(daemon, `${vault}/move`, { json: { from, to } })).status).toBe(200)
async function remove(path: string, query = '') {
  const answer = await call(daemon, `${vault}/notes/${path}${query}`, {
    method: 'DELETE',
    headers: { 'if-match': '*' },
  })
  expect(answer.status).toBe(200)
}

/** The path of the note that a client gets when it joins at a path, or the error code. */
function arrives(path: string): Promise<string> {
  const socket = new WebSocket(`${daemon.url.replace(/^http/, 'ws')}${vault}/live/${encodeURI(path)}`)
  return new Promise((resolve, reject) => {
    socket.on('open', () => socket.send(JSON.stringify({ type: 'hello', clientId: newClientId() })))
    socket.on('message', (data: Buffer) => {
      const message = JSON.parse(data.toString()) as { type: string; path: string }
      if (message.type === 'welcome') resolve(message.path)
      socket.close()
    })
    socket.on('close', (_code, reason) => resolve(reason.toString()))
    socket.on('error', reject)
  })
}

test('a note is found where it went, over any number of moves, though others took the places between', async () => {
  verifies('live.moved-followed')
  await put('first.md', 'first\n')
  await move('first.md', 'second "é".md')
  await move('second "é".md', 'deep/third.md')
  await put('second%20%22%C3%A9%22.md', 'another note\n')
  expect(await arrives('first.md')).toBe('deep/third.md')
  expect(await arrives('second "é".md')).toBe('second "é".md')

  await move('deep', 'deeper')
  expect(await arrives('first.md')).toBe('deeper/third.md')
  await daemon.stop()
  await rename(daemon.file('demo-vault', 'deeper/third.md'), daemon.file('demo-vault', 'outside.md'))
  await daemon.restart()
  await until('the move outside is in the history', async () => (await arrives('first.md')) === 'outside.md')
})

test('a note that is gone is not taken for another one', async () => {
  verifies('live.moved-followed')
  expect(await arrives('never.md')).toBe('not_found')
  // The note moved and was then deleted; another note took the new path.
  await put('left.md', 'left\n')
  await move('left.md', 'left-for.md')
  await remove('left-for.md')
  expect(await arrives('left.md')).toBe('not_found')
  await put('left-for.md', 'another\n')
  expect(await arrives('left.md')).toBe('not_found')
  await move('left-for.md', 'and-on.md')
  expect(await arrives('left.md')).toBe('not_found')
  expect(await arrives('left-for.md')).toBe('and-on.md')

  // Another note took the old path and was then deleted.
  await put('used.md', 'used\n')
  await move('used.md', 'used-once.md')
  await put('used.md', 'used again\n')
  await remove('used.md')
  expect(await arrives('used.md')).toBe('not_found')

  await put('secret.md', 'secret\n')
  await move('secret.md', 'more-secret.md')
  await remove('more-secret.md', '?permanent=true')
  expect(await arrives('secret.md')).toBe('not_found')
})
