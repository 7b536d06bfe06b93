import { expect, test } from 'vitest'
import { createWatchResources } from './watch-resources.ts'

const grant = { id: 'g', user_id: 'usr_a' } as never

/** The queries of each vault, and the notifications, in a minute in which every daemon claims changes at once. */
async function follow(vaults: number) {
  const left = new AbortController()
  const asked = new Map<string, number>()
  let told = 0
  let nowMs = 0
  const watch = createWatchResources({
    rights: { refresh: async () => grant },
    openCall: async () => ({ orgId: 'org_a', identity: {} }) as never,
    openReachedCall: {} as never,
    readChanges: async ({ request: { vaultId } }) => {
      asked.set(vaultId, (asked.get(vaultId) ?? 0) + 1)
      return { ok: true, at: '1', paths: [], isComplete: false }
    },
    clock: {
      sleep: async (ms) => {
        nowMs += ms
        if (nowMs >= 60_000) left.abort()
        left.signal.throwIfAborted()
      },
    },
  })
  const files = Array.from({ length: vaults }, (_, index) => ({ uri: `vault://acme/v${index}/a.md`, since: '0' }))
  await watch.follow({ grant, followed: async () => files, tell: () => void told++, signal: left.signal })
  return { asked: [...asked.values()], told }
}

test.each([
  [2, 60],
  [100, 12],
])('of %i vaults that always claim changes, each is queried at most %i times a minute', async (vaults, most) => {
  const { asked, told } = await follow(vaults)
  expect(asked).toHaveLength(vaults)
  for (const queries of asked) expect(queries).toBeLessThanOrEqual(most)
  expect(told).toBeGreaterThan(vaults * (most - 2))
})

test('a file with an endless address is not followed', async () => {
  const watch = createWatchResources({} as never)
  const uri = `vault://acme/v/${'a'.repeat(8_192)}`
  await expect(watch.placeOf(uri, { grant, signal: new AbortController().signal })).rejects.toMatchObject({
    code: 'not_found',
  })
})
