import { expect, test } from 'vitest'
import { createWatchResources } from './watch-resources.ts'

const grant = { id: 'g', user_id: 'usr_a' } as never

test('a daemon that always claims a change is asked at most once a second', async () => {
  const left = new AbortController()
  const [asked, told] = [new Map<string, number>(), [] as string[]]
  let nowMs = 0
  const watch = createWatchResources({
    rights: { refresh: async () => grant },
    openCall: async () => ({ orgId: 'org_a', identity: {} }) as never,
    reach: async () => {},
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
  const followed = async () => ['v1', 'v2'].map((vault) => ({ uri: `vault://acme/${vault}/a.md`, since: '0' }))
  await watch.follow({ grant, followed, tell: (uri) => void told.push(uri), signal: left.signal })
  expect([...asked.keys()]).toEqual(['v1', 'v2'])
  for (const calls of asked.values()) expect(calls).toBeLessThanOrEqual(61)
  expect(told.length).toBeGreaterThan(100)
})

test('a file with an endless address is not followed', async () => {
  const watch = createWatchResources({} as never)
  const uri = `vault://acme/v/${'a'.repeat(8_192)}`
  await expect(watch.placeOf(uri, { grant, signal: new AbortController().signal })).rejects.toMatchObject({
    code: 'not_found',
  })
})
