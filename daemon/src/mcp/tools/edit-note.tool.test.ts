import { expect, test } from 'vitest'
import { verifies } from '../../../../test/requirements.ts'
import type { VaultRegistry } from '../../vaults/vault-registry.ts'
import { localClient } from '../tool-caller.ts'
import { editNoteTool } from './edit-note.tool.ts'

test('an edit is answered with its difference, also where the passage was found exactly as sent', async () => {
  verifies('edit.diff')
  const edited = { path: 'a.md', baseline: 'b', diff: '-one\n+two\n', matched: ['exact'], dryRun: false }
  const registry = { find: () => ({}) } as unknown as VaultRegistry
  const tool = editNoteTool({ registry, editNote: async () => edited })
  const edits = [{ oldText: 'one', newText: 'two' }]
  const { result } = await tool.call({ vaultId: 'v', path: 'a.md', baseline: 'a', edits }, localClient('test'))
  expect(result).toEqual(edited)
})
