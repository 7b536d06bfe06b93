import type { Readable } from 'node:stream'
import { expect, test, vi } from 'vitest'
import { verifies } from '../../../test/requirements.ts'
import { MAX_UNREAD_BYTES } from './limit-unread.ts'
import { createSessionStreams } from './session-streams.ts'

type Follow = { tell(uri: string): void; signal: AbortSignal }

/** Streams whose watch is in the hands of the test. */
function setUp() {
  const follows: Follow[] = []
  const watch = {
    follow: (follow: Follow) => {
      follows.push(follow)
      return new Promise<void>((resolve) => follow.signal.addEventListener('abort', () => resolve()))
    },
  }
  const streams = createSessionStreams({ subscriptions: {}, watch, clock: {}, log: {} } as never)
  const open = (grant: object): Readable | undefined =>
    streams.openOf({ id: 's', endsAt: new Date() }, { grant: grant as never, signal: new AbortController().signal })
  return { streams, open, follows }
}
const grantOf = (id: string, user = 'usr_a') => ({ id, user_id: user })

test('a stream that nobody reads ends', async () => {
  const { open, follows } = setUp()
  const stream = open(grantOf('g'))!
  const [{ tell, signal }] = follows as [Follow]
  let told = 0
  for (; told < 1_000 && !stream.destroyed; told += 1) tell(`vault://acme/v/${'a'.repeat(4_000)}`)
  expect(told * 4_000).toBeLessThan(MAX_UNREAD_BYTES + 8_000)
  await vi.waitFor(() => expect(signal.aborted).toBe(true))
})

test('a stream that is read lasts', async () => {
  const { open, follows } = setUp()
  const stream = open(grantOf('g'))!
  stream.resume()
  for (let told = 0; told < 200; told += 1) {
    follows[0]!.tell(`vault://acme/v/${'a'.repeat(4_000)}`)
    await new Promise(setImmediate)
  }
  expect(stream.destroyed).toBe(false)
  stream.destroy()
})

test.each([
  ['lasts', { hasEnded: false, now: 1_000 }, false],
  ['is over', { hasEnded: false, now: 2_000 }, true],
  ['was ended by its client, at any replica', { hasEnded: true, now: 1_000 }, true],
])('when a session %s, so does its stream', async (_what, { hasEnded, now }, ends) => {
  verifies('agents.sessions')
  const error = vi.fn<() => void>()
  let rounds = 0
  const follow = async ({ followed, signal }: { followed(): Promise<unknown>; signal: AbortSignal }) => {
    for (; !signal.aborted; rounds += 1) {
      await followed()
      await new Promise(setImmediate)
    }
  }
  const streams = createSessionStreams({
    subscriptions: { findOf: async () => ({ hasEnded, files: [] }) },
    watch: { follow },
    clock: { now: () => new Date(now) },
    log: { error },
  } as never)
  const left = new AbortController()
  const session = { id: 's', endsAt: new Date(2_000) }
  const stream = streams.openOf(session, { grant: grantOf('g') as never, signal: left.signal })!
  stream.resume()
  await vi.waitFor(() => expect(stream.readableEnded || rounds > 5).toBe(true))
  expect(stream.readableEnded).toBe(ends)
  expect(error).not.toHaveBeenCalled()
  left.abort()
})

test('a program has at most 5 streams, and a person 10, whatever the programs', () => {
  const { streams, open, follows } = setUp()
  const opened = ['g1', 'g1', 'g1', 'g1', 'g1', 'g1', 'g2', 'g3', 'g4', 'g5', 'g6', 'g7'].map(
    (id) => open(grantOf(id)) !== undefined,
  )
  expect(opened).toEqual([true, true, true, true, true, false, true, true, true, true, true, false])
  expect(open(grantOf('g8', 'usr_b'))).toBeDefined()

  const end = vi.fn<() => void>()
  const by = { grant: grantOf('g9') as never, signal: new AbortController().signal }
  streams.followPlaces([], { tell: () => {}, end }, by)
  expect(end).toHaveBeenCalledOnce()
  expect(follows).toHaveLength(11)
})
