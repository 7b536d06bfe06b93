import { expect, test } from 'vitest'
import { verifies } from '../../../test/requirements.ts'
import { createChangeStream, type ChangeStream } from '../events/change-stream.ts'
import type { Vault } from '../vaults/vault.ts'
import { resourceUpdates } from './resource-updates.ts'

/** Vaults that open, change and close when the test says so, and what a follower of these addresses was told. */
function setUp(...followed: string[]) {
  const open = new Map<string, { vault: Vault; changes: ChangeStream }>()
  let opened: (vault: Vault) => void = () => {}
  const registry = {
    list: () => [...open.values()].map(({ vault }) => vault),
    onOpened: (listener: (vault: Vault) => void) => {
      opened = listener
      return () => void (opened = () => {})
    },
  }
  const updates = resourceUpdates({ registry, changesOf: ({ id }) => open.get(id)!.changes })
  const told: string[] = []
  const begin = (id: string) => {
    const vault = { id } as Vault
    open.set(id, { vault, changes: createChangeStream() })
    opened(vault)
  }
  begin('v')
  const follower = updates.follower((uri) => void told.push(uri))
  for (const uri of followed) follower.follow(uri)
  return {
    follower,
    begin,
    end: (id: string) => {
      open.get(id)!.changes.end()
      open.delete(id)
    },
    /** What is told of a change. */
    change: (id: string, path: string) => {
      told.length = 0
      open.get(id)!.changes.publish({ kind: 'changed', what: 'note', path, origin: 'outside' })
      return [...told]
    },
    told,
  }
}

test.each([
  ['in the form of our own lists', 'vault://v/Q%26A.md', 'Q&A.md'],
  ['with characters that the template leaves as they are', 'vault://v/Q&A+b, v2.md', 'Q&A+b, v2.md'],
  ['in the other normal form', 'vault://v/Cafe%CC%81.md', 'Caf\u00e9.md'],
  ['whose file has the other normal form', 'vault://v/Caf%C3%A9.md', 'Cafe\u0301.md'],
])('a change is told by the address that was given, %s', (_what, uri, path) => {
  verifies('mcp.resources')
  const { change } = setUp(uri)
  expect(change('v', path)).toEqual([uri])
  expect(change('v', 'other.md')).toEqual([])
})

test('two addresses of one file are both told, each until it is followed no more as often as it was', () => {
  const [plain, encoded] = ['vault://v/a+b.md', 'vault://v/a%2Bb.md']
  const { follower, change } = setUp(plain, encoded, encoded)
  expect(change('v', 'a+b.md').toSorted()).toEqual([encoded, plain].toSorted())
  follower.unfollow(plain)
  follower.unfollow(encoded)
  expect(change('v', 'a+b.md')).toEqual([encoded])
  follower.unfollow(encoded)
  expect(change('v', 'a+b.md')).toEqual([])
})

test('a vault that is opened again is followed again, and its followed files are told once', () => {
  verifies('mcp.resources')
  const uri = 'vault://v/a.md'
  const { begin, end, change, told } = setUp(uri, 'vault://w/b.md')
  end('v')
  begin('v')
  expect(told).toEqual([uri])
  expect(change('v', 'a.md')).toEqual([uri])
})

test('an address that names no file is accepted and never told; a follower that has ended is told nothing', () => {
  const { follower, change, begin, end, told } = setUp('test://watched', 'vault://v/a.md')
  follower.close()
  expect(change('v', 'a.md')).toEqual([])
  end('v')
  begin('v')
  expect(told).toEqual([])
})
