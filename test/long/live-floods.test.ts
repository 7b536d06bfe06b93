import { mkdir, writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { liveLimits } from '@svc/shared/wire/daemon/live-messages.ts'
import { verifies } from '../requirements.ts'
import { liveClient } from '../support/live-client.ts'
import { newHome, startSvcd, type Svcd } from '../support/svcd.ts'
import { until } from '../support/until.ts'

let daemon: Svcd
const sockets: WebSocket[] = []

beforeAll(async () => {
  const home = await newHome()
  await mkdir(`${home}/vaults/v`, { recursive: true })
  await Promise.all(
    Array.from({ length: liveLimits.maxOpenNotes + 1 }, (_, nth) =>
      writeFile(`${home}/vaults/v/note-${nth}.md`, `# Note ${nth}\n`),
    ),
  )
  daemon = await startSvcd({ home })
  await until('the notes are read', async () => (await fetch(`${daemon.url}/api/ready`)).ok)
})
afterAll(async () => {
  for (const socket of sockets) socket.terminate()
  await daemon?.remove()
})

type Joined = { socket: WebSocket; welcome: Promise<void>; closed: Promise<{ code: number; reason: string }> }

/** Opens a note and says hello. */
function join(note: string, clientId: string): Joined {
  const socket = new WebSocket(`${daemon.url.replace('http', 'ws')}/api/vaults/v/live/${note}`)
  sockets.push(socket)
  socket.on('error', () => {})
  socket.on('open', () => socket.send(JSON.stringify({ type: 'hello', clientId })))
  const closed = new Promise<{ code: number; reason: string }>((resolve) =>
    socket.on('close', (code, reason) => resolve({ code, reason: String(reason) })),
  )
  const welcome = new Promise<void>((resolve, reject) => {
    socket.once('message', () => resolve())
    void closed.then(({ code, reason }) => reject(new Error(`closed with ${code} ${reason}`)))
  })
  welcome.catch(() => {})
  return { socket, welcome, closed }
}

const open = async (note: string) => {
  const client = liveClient({ url: () => daemon.url, vaultId: 'v', path: note })
  await client.shows((text) => text !== '')
  return client
}

describe('a flood of', () => {
  test('participants ends at the limit, and those who are there go on', async () => {
    verifies('live.limits')
    const writer = await open('note-0.md')
    for (let nth = 1; nth < liveLimits.maxParticipants; nth += 20) {
      const some = Array.from({ length: Math.min(20, liveLimits.maxParticipants - nth) }, (_, at) =>
        join('note-0.md', `crowd-member-${nth + at}`),
      )
      await Promise.all(some.map(({ welcome }) => welcome))
    }
    expect(await join('note-0.md', 'one-too-many').closed).toEqual({ code: 4429, reason: 'too_many_requests' })
    writer.type('still here\n')
    await writer.reaches('saved', 'durable')
    await writer.close()
    for (const socket of sockets.splice(0)) socket.terminate()
  })

  test('bytes to a peer that does not read ends that peer alone', async () => {
    verifies('live.limits')
    const slow = join('note-1.md', 'a-slow-reader')
    await slow.welcome
    slow.socket.pause()
    const writer = await open('note-1.md')
    let isEnded = false
    void slow.closed.then(() => (isEnded = true))
    for (let nth = 0; nth < 200 && writer.shown().length < 8_000_000; nth++) {
      writer.type(`${'x'.repeat(60_000)}\n`)
      await writer.reaches('saved', 'durable')
    }
    slow.socket.resume()
    await until('the slow reader is ended', async () => isEnded)
    expect(await slow.closed).toEqual({ code: 4408, reason: 'request_timeout' })
    await writer.close()
  })

  test('one oversized message ends its sender before it is parsed', async () => {
    verifies('live.limits')
    const reader = await open('note-2.md')
    const { socket, welcome, closed } = join('note-2.md', 'a-large-sender')
    await welcome
    socket.send('x'.repeat(liveLimits.maxMessageBytes + 1))
    expect((await closed).code).toBe(1009)
    reader.type('fine\n')
    await reader.reaches('saved', 'durable')
    await reader.close()
  })

  test('open notes end at the limit; a closed note makes room', async () => {
    verifies('live.limits')
    const names = Array.from({ length: liveLimits.maxOpenNotes }, (_, nth) => `note-${nth}.md`)
    const joined: Joined[] = []
    for (let at = 0; at < names.length; at += 50) {
      const some = names.slice(at, at + 50).map((name, nth) => join(name, `opener-of-${at + nth}-notes`))
      await Promise.all(some.map(({ welcome }) => welcome))
      joined.push(...some)
    }
    const beyond = `note-${liveLimits.maxOpenNotes}.md`
    expect(await join(beyond, 'one-note-too-many').closed).toEqual({ code: 4429, reason: 'too_many_requests' })
    joined[0]!.socket.close()
    await joined[0]!.closed
    await until('there is room', async () => {
      const { socket, welcome } = join(beyond, 'the-next-one')
      const isIn = await welcome.then(
        () => true,
        () => false,
      )
      socket.close()
      return isIn
    })
  })
})
