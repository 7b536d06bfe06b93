import { expect, test } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { createSearchBudget, OutOfBudget } from './search-budget.ts'
import { createSearchRoom } from './search-room.ts'

const patient = { pause: () => undefined }
const budgetOf = (deadlineMs: number) => createSearchBudget({ clock: systemClock, deadlineMs })

test('searches get their memory in turn, and none at the cost of an earlier one', async () => {
  const room = createSearchRoom(systemClock, 100)
  const giveBack = await room.take(60, patient)
  const order: string[] = []
  const large = room.take(80, patient).then((its) => {
    order.push('large')
    its()
  })
  const small = room.take(10, patient).then(() => order.push('small'))
  await systemClock.sleep(50)
  expect(order).toEqual([])
  giveBack()
  await Promise.all([large, small])
  expect(order).toEqual(['large', 'small'])
})

test('a search that needs more than there is ends at once, and one whose time is up while it waits', async () => {
  const room = createSearchRoom(systemClock, 100)
  await expect(room.take(101, patient)).rejects.toThrow(OutOfBudget)
  const giveBack = await room.take(100, patient)
  await expect(room.take(1, budgetOf(20))).rejects.toThrow(OutOfBudget)

  const next = room.take(1, patient)
  giveBack()
  await next
})
