import { expect, it } from 'vitest'
import { versionBy } from './version-by.ts'

const outside = { id: 'outside', name: 'Outside edit', kind: 'outside' } as const
const ada = { id: 'local', name: 'Ada', kind: 'local' } as const
const all = [{ rev: 'c' }, { rev: 'b' }, { rev: 'a' }]

it('names whoever made a version through the daemon', () => {
  expect(versionBy({ rev: 'a', author: ada }, all)).toBe('Ada')
})

it('calls a first version of an unknown writer found, and later ones by another program', () => {
  expect(versionBy({ rev: 'a', author: outside }, all)).toBe('As first found')
  expect(versionBy({ rev: 'b', author: outside }, all)).toBe('Another program')
})
