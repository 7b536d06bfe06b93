import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { catchUpAll, prepareSwitch } from './prepared-switch.ts'

const MANY = 10_000

/** Counts the paths that are taken over, and how many of them in the step that switches. */
function counted() {
  const values = new Map<string, number>()
  const taken = new Map<string, number>()
  let inStep = 0
  let isStep = false
  const prepared = prepareSwitch({
    takeOver(path) {
      taken.set(path, values.get(path)!)
      if (isStep) inStep++
    },
    switchOver: () => [],
  })
  const change = (path: string) => {
    values.set(path, (values.get(path) ?? 0) + 1)
    prepared.changed(path)
  }
  const adopt = () => {
    isStep = true
    prepared.adopt()
    return inStep
  }
  return { values, taken, prepared, change, adopt }
}

test('however much changes while it is prepared, the step itself takes over few paths', async () => {
  const [one, other] = [counted(), counted()]
  for (let number = 0; number < MANY; number++) for (const each of [one, other]) each.change(`${number}.md`)
  // While changes are taken over, half as many new ones come, and so on.
  let left = MANY
  await catchUpAll([one.prepared, other.prepared], () => {
    for (let more = 0; more < 2 && (left -= 4) > 0; more++)
      for (const each of [one, other]) each.change(`${left % MANY}.md`)
    return setImmediate()
  })
  for (const { adopt, taken, values } of [one, other]) {
    expect(adopt()).toBeLessThanOrEqual(500)
    expect(taken).toEqual(values)
  }
})

test('a vault that changes faster than it is taken over does not keep the switch from being made', async () => {
  const { change, prepared, adopt, taken, values } = counted()
  let next = 0
  const changeTwo = () => {
    for (let more = 0; more < 2; more++) change(`${next++ % 1000}.md`)
  }
  for (let number = 0; number < 1000; number++) changeTwo()
  await catchUpAll([prepared], () => void changeTwo())
  adopt()
  expect(taken).toEqual(values)
})
