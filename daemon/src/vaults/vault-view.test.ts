import { expect, test } from 'vitest'
import { createLog } from '@svc/shared/kit/log.ts'
import { perVault, type ChangeOrigin, type VaultChange } from './vault-change.ts'
import { createVaultView } from './vault-view.ts'

const stamp = { size: 1, mtimeMs: 1, ctimeMs: 1, ino: 1 }
const origin: ChangeOrigin = { kind: 'outside' }
const created = (path: string): VaultChange => ({
  kind: 'created',
  path,
  stamp,
  content: { facts: { kind: 'attachment' } },
  origin,
})
const open = (follow: Parameters<typeof createVaultView>[0]['follow'], lines: string[] = []) =>
  createVaultView({
    id: 'v',
    root: '/v',
    follow,
    log: createLog({ service: 'test', level: 'error', destination: { write: (line) => void lines.push(line) } }),
  })

test('followers are told of a change in order, after the manifest has it', () => {
  const told: string[] = []
  const named = (name: string) =>
    perVault(({ manifest }) => ({
      changed: ({ kind, path }) => void told.push(`${name} ${kind} ${path} ${manifest.count()}`),
    })).follow
  const view = open([named('a'), named('b')])
  view.publish(created('x/y.png'))
  view.publish({ kind: 'deleted', path: 'x/y.png', before: { kind: 'attachment' }, origin })
  view.publish({ kind: 'folder_deleted', path: 'x', origin })
  expect(told).toEqual([
    'a created x/y.png 1',
    'b created x/y.png 1',
    'a deleted x/y.png 0',
    'b deleted x/y.png 0',
    'a folder_deleted x 0',
    'b folder_deleted x 0',
  ])
  expect(view.manifest.hasFolder('x')).toBe(false)
})

test('a follower that fails neither stops the others nor the change', () => {
  const lines: string[] = []
  const told: string[] = []
  const failing = () => ({
    changed() {
      throw new Error('broken follower')
    },
  })
  const view = open([failing, () => ({ changed: ({ path }) => void told.push(path) })], lines)
  view.publish(created('a.png'))
  expect([told, view.manifest.count(), lines.length]).toEqual([['a.png'], 1, 1])
  expect(lines[0]).toContain('broken follower')
})

test('each vault has its own piece, and they close in the reverse order', async () => {
  const order: string[] = []
  const closing = (name: string) => perVault(() => ({ name, changed() {}, close: async () => void order.push(name) }))
  const [first, second] = [closing('first'), closing('second')]
  const view = open([first.follow, second.follow])
  expect(first.of({ id: 'v' }).name).toBe('first')
  expect(() => first.of({ id: 'w' })).toThrow(expect.objectContaining({ code: 'vault_closing' }))
  await view.close()
  expect(order).toEqual(['second', 'first'])
  expect(() => first.of({ id: 'v' })).toThrow(expect.objectContaining({ code: 'vault_closing' }))
})
