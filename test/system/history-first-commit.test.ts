import { afterEach, beforeEach, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { memoryVault } from '../support/history.ts'

let vault: Awaited<ReturnType<typeof memoryVault>>
beforeEach(async () => {
  vault = await memoryVault()
})
afterEach(() => vault.close())

test('before its first commit, a history has no revisions, and git is not asked for any', async () => {
  verifies('service.history')
  await vault.history.commitAll()
  expect(vault.history.state()).toBe('ready')
  const { reader, history } = vault
  const rev = 'abcdef0'
  expect(await reader.revisions(history, { path: 'a.md', limit: 10, offset: 0 })).toEqual({
    revisions: [],
    hasMore: false,
  })
  const unknown = { code: 'not_found' }
  await expect(reader.textAt(history, { path: 'a.md', rev })).rejects.toMatchObject(unknown)
  await expect(reader.diff(history, { path: 'a.md', from: rev, to: rev })).rejects.toMatchObject(unknown)
  await expect(reader.deletersSince(history, { path: 'a.md', rev })).rejects.toMatchObject(unknown)
  // A commit that comes between two runs of git would make them contradict each other.
  expect(vault.reads()).toBe(0)

  vault.put('a.md', 'one\n')
  expect(await vault.texts('a.md')).toEqual(['Ann a.md one'])
})
