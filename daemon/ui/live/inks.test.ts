import { describe, expect, it } from 'vitest'
import { inksOf, presentPeople } from './inks.ts'

const person = (id: string, name: string) => ({ id, client: `client-${id}`, who: { kind: 'person' as const, name } })
const people = [person('a', 'Ada'), person('b', 'Ben'), person('c', 'Cleo'), person('b2', 'Ben')]

describe('the people in a note', () => {
  it('have inks in the order of their arrival; you always have the first', () => {
    expect([...inksOf(people, 'b')]).toEqual([
      ['a', 2],
      ['c', 3],
      ['b2', 4],
      ['b', 1],
    ])
  })

  it('share inks when there are more than inks', () => {
    const many = Array.from({ length: 9 }, (_, nth) => person(String(nth), `P${nth}`))
    expect(new Set(inksOf(many, '0').values())).toEqual(new Set([1, 2, 3, 4, 5]))
  })

  it('are each named once, you first', () => {
    expect(presentPeople(people, 'b').map(({ name, isYou }) => [name, isYou])).toEqual([
      ['Ben', true],
      ['Ada', false],
      ['Cleo', false],
    ])
  })
})
