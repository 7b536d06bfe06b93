import { describe, expect, it } from 'vitest'
import type { Member } from '../answers.ts'
import { inOrder, isLastAdmin } from './membership.ts'

const member = (id: string, role: Member['role'], name = id): Member => ({
  id,
  userId: id,
  name,
  email: `${id}@x.example`,
  role,
})

describe('isLastAdmin', () => {
  it('protects the only admin', () => {
    const members = [member('a', 'admin'), member('b', 'member')]
    expect(isLastAdmin(members, 'a')).toBe(true)
    expect(isLastAdmin(members, 'b')).toBe(false)
  })

  it('protects nobody while there are two', () => {
    expect(isLastAdmin([member('a', 'admin'), member('b', 'admin')], 'a')).toBe(false)
  })
})

describe('inOrder', () => {
  it('lists admins first, then by name, without touching the given list', () => {
    const members = [member('1', 'member', 'Zoe'), member('2', 'member', 'Ana'), member('3', 'admin', 'Mia')]
    expect(inOrder(members).map(({ name }) => name)).toEqual(['Mia', 'Ana', 'Zoe'])
    expect(members[0]?.name).toBe('Zoe')
  })
})
