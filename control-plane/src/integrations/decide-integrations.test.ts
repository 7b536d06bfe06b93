import { expect, test, vi } from 'vitest'
import { createDecideIntegrations } from './decide-integrations.ts'

const agentsOf = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    client: 'Archivist',
    person: `usr_${at}`,
    integration: `https://agent.example/${at}`,
    changes: at + 1,
  }))
const rowsOf = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ key: `https://agent.example/${at}`, state: 'requested', people: [] }))

/** The decisions of an organization with these integrations and this report of undone changes. */
const listWith = ({ rows, agents }: { rows: object[]; agents: object[] | undefined }) =>
  createDecideIntegrations({
    clock: { now: () => new Date(0) },
    integrations: { list: async () => rows, listRules: async () => [] },
    findUndone: async () => agents,
  } as never).list({ orgId: 'org_a', userId: 'usr_a' })

const addressesRead = async (rows: number, agents: number): Promise<number> => {
  const parse = vi.spyOn(URL, 'parse')
  try {
    await listWith({ rows: rowsOf(rows), agents: agentsOf(agents) })
    return parse.mock.calls.length
  } finally {
    parse.mockRestore()
  }
}

test('the addresses of the agents are read once, however many integrations there are', async () => {
  const few = await addressesRead(10, 100)
  expect((await addressesRead(40, 100)) - few).toBeLessThanOrEqual(3 * 30)
})

test('each integration shows its undone changes; null while they are not known', async () => {
  const undone = async (agents: object[] | undefined) =>
    (await listWith({ rows: rowsOf(3), agents })).map((integration) => integration.undone)
  expect(await undone(agentsOf(2))).toEqual([1, 2, 0])
  expect(await undone(undefined)).toEqual([null, null, null])
})
