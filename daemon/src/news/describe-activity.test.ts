import { expect, test } from 'vitest'
import { fail } from '@svc/shared/wire/errors.ts'
import { perVault } from '../vaults/vault-change.ts'
import type { Vault } from '../vaults/vault.ts'
import { createDescribeActivity } from './describe-activity.ts'
import type { VaultNews } from './follow-news.ts'

test('a vault that is closed while its news are read does not fail the list', async () => {
  const index = perVault(() => ({ size: () => 3, changed: () => {} }))
  const opened = index.follow({ id: 'v', root: '/v', manifest: {} as Vault['manifest'] })
  const news = {
    newest: async () => {
      await opened.close!()
      return undefined
    },
  } as VaultNews
  const describeActivity = createDescribeActivity({ indexOf: index.of, newsOf: () => news })
  const vault = { id: 'v', displayName: 'V', isIndexed: () => true } as Vault
  expect(await describeActivity(vault, undefined)).toEqual({ id: 'v', displayName: 'V', notes: 3 })
  expect(() => index.of(vault)).toThrow()
})

test('a vault whose news cannot be read is shown without them', async () => {
  const news = { newest: () => Promise.reject(fail('storage_failed')) } as Partial<VaultNews> as VaultNews
  const describeActivity = createDescribeActivity({ indexOf: () => ({ size: () => 3 }), newsOf: () => news })
  const vault = { id: 'v', displayName: 'V', isIndexed: () => true } as Vault
  expect(await describeActivity(vault, 'reader')).toEqual({ id: 'v', displayName: 'V', notes: 3 })
})
