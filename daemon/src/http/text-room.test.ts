import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { createTextRoom, SMALL_TEXT_BYTES } from './text-room.ts'

const MB = 1024 ** 2
const never: Pick<typeof systemClock, 'sleep'> = { sleep: (_ms, signal) => systemClock.sleep(2 ** 31 - 1, signal) }
const tooMany = expect.objectContaining({ code: 'too_many_requests', retry: 'same_request' })
const response = () => Object.assign(new EventEmitter(), { closed: false }) as unknown as ServerResponse
const close = (its: ServerResponse) => void Object.assign(its, { closed: true }).emit('close')

test('room is given in the order of the calls, and back when a response closes', async () => {
  const room = createTextRoom({ clock: never, roomBytes: 10 * MB })
  const [first, second, third] = [response(), response(), response()]
  await room.until(first)(6 * MB)
  const order: string[] = []
  const large = room
    .until(second)(8 * MB)
    .then(() => order.push('large'))
  const small = room
    .until(third)(3 * MB)
    .then(() => order.push('small'))
  await systemClock.sleep(5)
  expect(order).toEqual([])
  close(first)
  await large
  expect(order).toEqual(['large'])
  close(second)
  await small
  close(third)
  await room.during((reserve) => reserve(10 * MB))
})

test('who waits too long is refused, and then those behind get their room', async () => {
  const room = createTextRoom({ clock: systemClock, roomBytes: 10 * MB, waitMs: 20 })
  const slow = response()
  await room.until(slow)(6 * MB)
  const refused = expect(room.until(response())(8 * MB)).rejects.toEqual(tooMany)
  const behind = room.until(response())(4 * MB)
  await refused
  await behind
})

test('a client that leaves while it waits holds nothing', async () => {
  const room = createTextRoom({ clock: never, roomBytes: 10 * MB })
  const [slow, leaving] = [response(), response()]
  await room.until(slow)(6 * MB)
  const left = expect(room.until(leaving)(5 * MB)).rejects.toEqual(tooMany)
  close(leaving)
  await left
  close(slow)
  await room.during((reserve) => reserve(10 * MB))
  // One that has left already waits for nothing.
  await room.until(leaving)(10 * MB)
  await room.during((reserve) => reserve(10 * MB))
})

test('small texts need no room, and one that is larger than the room has all of it', async () => {
  const room = createTextRoom({ clock: systemClock, roomBytes: MB, waitMs: 1 })
  await room.during(async (reserve) => {
    const keepOnly = await reserve(5 * MB)
    await reserve(SMALL_TEXT_BYTES)
    await expect(room.until(response())(SMALL_TEXT_BYTES + 1)).rejects.toEqual(tooMany)
    keepOnly(MB / 2)
    await room.during((other) => other(MB / 2))
    await expect(room.during((other) => other(MB / 2 + 1))).rejects.toEqual(tooMany)
  })
  await room.during((reserve) => reserve(MB))
})

test('work that fails gives its room back', async () => {
  const room = createTextRoom({ clock: systemClock, roomBytes: MB, waitMs: 1 })
  const failing = room.during(async (reserve) => {
    await reserve(MB)
    throw new Error('failed')
  })
  await expect(failing).rejects.toThrow('failed')
  await room.during((reserve) => reserve(MB))
})
