import { expect, test } from 'vitest'
import { verifies } from '../../../test/requirements.ts'
import type { VaultRegistry } from '../vaults/vault-registry.ts'
import { vaultResources } from './vault-resources.ts'

const registry = {
  find: (id: string) => ({
    id,
    manifest: { onDisk: (path: string) => path, file: () => ({ facts: { kind: 'note' } }) },
  }),
} as unknown as VaultRegistry

const read = (content: string) =>
  vaultResources({
    registry,
    readNote: async (_vault, path) => ({ path, title: '', baseline: 'b', content, properties: {} }) as never,
  }).read({ uri: 'vault://v/a.md', may: () => true })

test('a note of up to a megabyte is a resource; a longer one is refused with the limit', async () => {
  verifies('mcp.resources', 'untrusted.off-loop')
  const text = 'a'.repeat(1024 * 1024)
  expect((await read(text)).contents).toMatchObject([{ text }])
  await expect(read(`${text}a`)).rejects.toMatchObject({
    code: 'payload_too_large',
    details: { maxLength: 1024 * 1024 },
  })
})
