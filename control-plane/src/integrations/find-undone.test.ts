import { expect, test } from 'vitest'
import { verifies } from '../../../test/requirements.ts'
import { createFindUndone } from './find-undone.ts'

const viewer = { orgId: 'org_a', userId: 'usr_a' }
const agent = { client: 'Archivist', person: 'usr_a', integration: 'local' }

function finder(listUndone: Parameters<typeof createFindUndone>[0]['listUndone']) {
  let stored: { changes: number }[] | undefined
  const undone = {
    find: async () => stored as never,
    upsert: async (_orgId: string, agents: { changes: number }[]) => void (stored = agents),
  }
  return createFindUndone({ listUndone, undone })
}

test('the last report stands where a daemon fails, and nothing is known before the first', async () => {
  verifies('agents.undone')
  let isAway = true
  const find = finder(async () => {
    if (isAway) throw new Error('away')
    return { vaults: [{ agents: [{ ...agent, changes: 2 }] }, { agents: [{ ...agent, changes: 3 }] }] }
  })
  expect(await find(viewer)).toBeUndefined()
  isAway = false
  expect(await find(viewer)).toEqual([{ ...agent, changes: 5 }])
  isAway = true
  expect(await find(viewer)).toEqual([{ ...agent, changes: 5 }])
})

test('a daemon cannot make its report endless', async () => {
  const agents = Array.from({ length: 2_000 }, (_, index) => ({ ...agent, client: `c${index}`, changes: 1 }))
  expect(await finder(async () => ({ vaults: [{ agents }] }))(viewer)).toHaveLength(500)
})

test('of a very long report only the beginning is counted', async () => {
  const agents = Array.from({ length: 40_000 }, () => ({ ...agent, changes: 1 }))
  expect(await finder(async () => ({ vaults: [{ agents }] }))(viewer)).toEqual([{ ...agent, changes: 10_000 }])
})
