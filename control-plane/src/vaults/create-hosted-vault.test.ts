import { expect, test } from 'vitest'
import { createHostedVault } from './create-hosted-vault.ts'

const membership = {
  organization: { id: 'org_a', slug: 'a', name: 'A', daemonMode: 'cloud_hosted' },
  memberId: 'm',
  role: 'member',
} as const
const request = { userId: 'usr_a', vault: { displayName: 'V', slug: 'v' }, signal: new AbortController().signal }

test('who was removed while the daemon woke creates no vault', async () => {
  const asked: string[] = []
  const create = (found: typeof membership | undefined) =>
    createHostedVault({
      reach: async () => 'waited',
      findMembership: async () => found,
      askDaemon: async ({ userId }) => {
        asked.push(userId)
        return { id: 'v', displayName: 'V' }
      },
    })(membership, request)
  await expect(create(undefined)).rejects.toMatchObject({ code: 'not_found' })
  expect(asked).toEqual([])
  expect(await create(membership)).toEqual({ id: 'v', displayName: 'V' })
})
