import { expect, test } from 'vitest'
import { verifies } from '../../../test/requirements.ts'
import { createWatchResources, type Followed } from './watch-resources.ts'

const grant = { id: 'g', user_id: 'usr_a' } as never

/** Time that passes at once, and ends a watch after a minute. */
function aMinute(left: AbortController) {
  let nowMs = 0
  return {
    sleep: async (ms: number) => {
      nowMs += ms
      if (nowMs >= 60_000) left.abort()
      left.signal.throwIfAborted()
    },
  }
}

/** The queries of each vault, and the notifications, in a minute in which every daemon claims changes at once. */
async function follow(vaults: number) {
  const left = new AbortController()
  const asked = new Map<string, number>()
  let told = 0
  const watch = createWatchResources({
    rights: { refresh: async () => grant },
    openCall: async () => ({ orgId: 'org_a', identity: {} }) as never,
    openReachedCall: {} as never,
    readChanges: async ({ request: { vaultId } }) => {
      asked.set(vaultId, (asked.get(vaultId) ?? 0) + 1)
      return { ok: true, at: '1', paths: [], isComplete: false }
    },
    clock: aMinute(left),
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

/** What is told of the files that are followed, whose vault changes as `changed` says before each query. */
async function toldOf(followed: Followed[], changed: (query: number) => string | undefined) {
  const left = new AbortController()
  const changes: string[] = []
  const told: string[] = []
  let queries = 0
  const watch = createWatchResources({
    rights: { refresh: async () => grant },
    openCall: async () => ({ orgId: 'org_a', identity: {} }) as never,
    openReachedCall: {} as never,
    readChanges: async ({ request: { since } }) => {
      const path = changed((queries += 1))
      if (path !== undefined) changes.push(path)
      return { ok: true, at: String(changes.length), paths: changes.slice(Number(since)), isComplete: true }
    },
    clock: aMinute(left),
  })
  const tell = (uri: string) => void told.push(uri)
  await watch.follow({ grant, followed: async () => [...followed], tell, signal: left.signal })
  return told
}

test('a file that is followed while a query of its vault waits is told of what changed since', async () => {
  verifies('agents.resources')
  const [first, second] = ['vault://acme/v/a.md', 'vault://acme/v/b.md'] as const
  const followed: Followed[] = [{ uri: first, since: '0' }]
  const told = await toldOf(followed, (query) => {
    if (query === 1) followed.push({ uri: second, since: '0' })
    return { 1: 'b.md', 4: 'a.md', 6: 'b.md' }[query]
  })
  expect(told).toEqual([second, first, second])
})

test.each([
  ['Caf%C3%A9.md', 'Cafe\u0301.md'],
  ['Cafe%CC%81.md', 'Caf\u00e9.md'],
  ['Cafe%CC%81.md', 'Cafe\u0301.md'],
])('the address %s is told of a change, also if the name of the file has another normal form', async (name, path) => {
  verifies('agents.resources')
  const uri = `vault://acme/v/${name}`
  expect(await toldOf([{ uri, since: '0' }], (query) => (query === 2 ? path : undefined))).toEqual([uri])
})

test('a file with an endless address is not followed', async () => {
  const watch = createWatchResources({} as never)
  const uri = `vault://acme/v/${'a'.repeat(8_192)}`
  await expect(watch.placeOf(uri, { grant, signal: new AbortController().signal })).rejects.toMatchObject({
    code: 'not_found',
  })
})
