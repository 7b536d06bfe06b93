import fc from 'fast-check'
import { expect, test } from 'vitest'
import { candidates, keepCommon, valuesIn, valuesRoom } from './candidates.ts'
import { WorkMemory } from './work-memory.ts'

const numbers = fc.uniqueArray(fc.nat(500), { maxLength: 400 }).map((all) => all.sort((a, b) => a - b))

/** Memory with data left by another search. */
function usedMemory(): WorkMemory {
  const memory = new WorkMemory(1 << 16)
  memory.bytes(1 << 16).fill(0xff)
  memory.clear()
  return memory
}

function listOf(all: readonly number[], value: number) {
  const list = candidates(all.length + 3, usedMemory())
  list.numbers.set(all)
  list.values.fill(value)
  list.count = all.length
  return list
}

test('the values of some in a list that holds them are found, however many the list has besides', () => {
  fc.assert(
    fc.property(numbers, fc.constantFrom(1, 2, 7, 40, 150), (all, every) => {
      const list = listOf(all, 0)
      for (let index = 0; index < list.count; index++) list.values[index] = list.numbers[index]! * 2
      const some = all.filter((_, index) => index % every === every - 1)
      const its = listOf(some, 1)
      expect([...valuesIn(list, its, valuesRoom(its, 501, usedMemory()))]).toEqual(some.map((number) => number * 2))
    }),
  )
})

test('those in both lists are kept, with the values of the first one, however short one is', () => {
  fc.assert(
    fc.property(numbers, numbers, fc.constantFrom(1, 7, 40, 150), (some, others, every) => {
      const all = some.filter((_, index) => index % every === every - 1)
      const list = listOf(all, 7)
      keepCommon(list, listOf(others, 9), usedMemory())
      const common = all.filter((number) => others.includes(number))
      expect([...list.numbers.subarray(0, list.count)]).toEqual(common)
      expect([...list.values.subarray(0, list.count)]).toEqual(common.map(() => 7))
    }),
  )
})
