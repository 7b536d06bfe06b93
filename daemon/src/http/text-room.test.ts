import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import type { Actor } from '../entry/actor.ts'
import type { RequestCaller } from './request-caller.ts'
import { createTextRoom, SMALL_TEXT_BYTES } from './text-room.ts'

const MB = 1024 ** 2
const never: Pick<typeof systemClock, 'sleep'> = { sleep: (_ms, signal) => systemClock.sleep(2 ** 31 - 1, signal) }
const tooMany = expect.objectContaining({ code: 'too_many_requests', retry: 'same_request' })
const local = { kind: 'local' } as const
const person = (sub: string): RequestCaller => ({
  kind: 'person',
  claims: { sub, name: sub, role: 'member' } as Extract<RequestCaller, { kind: 'person' }>['claims'],
})
const agentOf = (id: string): Actor => ({ kind: 'mcp_client', client: 'Archivist', person: { id, name: id } })
const response = () => Object.assign(new EventEmitter(), { closed: false }) as unknown as ServerResponse
const close = (its: ServerResponse) => void Object.assign(its, { closed: true }).emit('close')

test('room is given in the order of the calls, and back when a response closes', async () => {
  const room = createTextRoom({ clock: never, roomBytes: 10 * MB })
  const [first, second, third] = [response(), response(), response()]
  await room.until(first, local)(6 * MB)
  const order: string[] = []
  const enter = async (name: string, { its, bytes }: { its: ServerResponse; bytes: number }) => {
    await room.until(its, local)(bytes)
    order.push(name)
  }
  const large = enter('large', { its: second, bytes: 8 * MB })
  const small = enter('small', { its: third, bytes: 3 * MB })
  await systemClock.sleep(5)
  expect(order).toEqual([])
  close(first)
  await large
  expect(order).toEqual(['large'])
  close(second)
  await small
  close(third)
  await room.during(local, (reserve) => reserve(10 * MB))
})

test('one person with every agent of theirs leaves room for others', async () => {
  const room = createTextRoom({ clock: never, roomBytes: 10 * MB, personBytes: 7 * MB })
  const [slow, another] = [response(), response()]
  await room.until(slow, person('ada'))(4 * MB)
  const order: string[] = []
  const agent = room.during(agentOf('ada'), async (reserve) => {
    await reserve(4 * MB)
    order.push('agent')
  })
  await room.until(another, person('ben'))(6 * MB)
  expect(order).toEqual([])
  close(another)
  await room.during(local, (reserve) => reserve(6 * MB))
  close(slow)
  await agent
  // A text that is larger than the share has room while its person holds nothing.
  await room.during(agentOf('ada'), (reserve) => reserve(10 * MB))
})

test('who waits too long is refused, and then those behind get their room', async () => {
  const room = createTextRoom({ clock: systemClock, roomBytes: 10 * MB, waitMs: 20 })
  const slow = response()
  await room.until(slow, local)(6 * MB)
  const refused = expect(room.until(response(), local)(8 * MB)).rejects.toEqual(tooMany)
  const behind = room.until(response(), local)(4 * MB)
  await refused
  await behind
})

test('a client that leaves while it waits holds nothing', async () => {
  const room = createTextRoom({ clock: never, roomBytes: 10 * MB })
  const [slow, leaving] = [response(), response()]
  await room.until(slow, local)(6 * MB)
  const left = expect(room.until(leaving, local)(5 * MB)).rejects.toEqual(tooMany)
  close(leaving)
  await left
  close(slow)
  await room.during(local, (reserve) => reserve(10 * MB))
  // One that has left already waits for nothing.
  await room.until(leaving, local)(10 * MB)
  await room.during(local, (reserve) => reserve(10 * MB))
})

test('small texts need no room, and one that is larger than the room has all of it', async () => {
  const room = createTextRoom({ clock: systemClock, roomBytes: MB, waitMs: 1 })
  await room.during(local, async (reserve) => {
    const keepOnly = await reserve(5 * MB)
    await reserve(SMALL_TEXT_BYTES)
    await expect(room.until(response(), local)(SMALL_TEXT_BYTES + 1)).rejects.toEqual(tooMany)
    keepOnly(MB / 2)
    await room.during(local, (other) => other(MB / 2))
    await expect(room.during(local, (other) => other(MB / 2 + 1))).rejects.toEqual(tooMany)
  })
  await room.during(local, (reserve) => reserve(MB))
})

test('work that fails gives its room back', async () => {
  const room = createTextRoom({ clock: systemClock, roomBytes: MB, waitMs: 1 })
  const failing = room.during(local, async (reserve) => {
    await reserve(MB)
    throw new Error('failed')
  })
  await expect(failing).rejects.toThrow('failed')
  await room.during(local, (reserve) => reserve(MB))
})
