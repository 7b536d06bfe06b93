import { expect, test } from 'vitest'
import { verifies } from '../../../test/requirements.ts'
import { Manifest } from '../watch/manifest.ts'
import { perVault } from './vault-change.ts'

test('the piece of a vault that was closed after a request had found it is refused, not a bug', async () => {
  verifies('vault.closing')
  const pieces = perVault(() => ({ changed: () => {}, name: 'piece' }))
  const follower = pieces.follow({ id: 'v', root: '/v', manifest: new Manifest() })
  expect(pieces.of({ id: 'v' }).name).toBe('piece')
  await follower.close?.()
  expect(() => pieces.of({ id: 'v' })).toThrow(expect.objectContaining({ code: 'vault_closing' }))
})
