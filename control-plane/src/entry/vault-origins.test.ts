import { expect, test } from 'vitest'
import { createVaultOrigins } from './vault-origins.ts'

/** Vault origins over a database without rows, and the number of its queries. */
function setUp() {
  let queries = 0
  const query: Record<string, unknown> = { execute: async () => [] }
  for (const name of ['select', 'where', 'innerJoin']) query[name] = () => query
  const db = { selectFrom: () => ((queries += 1), query) }
  const clock = { now: () => new Date(0), monotonic: () => 0 }
  const options = { db, clock, template: 'https://{label}.vaults.example', onRevocation: () => {} }
  return { origins: createVaultOrigins(options as never), queries: () => queries }
}

test.each([
  `${'a'.repeat(15_000)}.vaults.example`,
  `${'a'.repeat(20)}.vaults.example`,
  `${'a'.repeat(20)}-1000000.vaults.example`,
])('a Host that nobody can have is refused at once and not cached', (host) => {
  const { origins, queries } = setUp()
  expect(origins.findByHost(host)).toBeUndefined()
  expect(queries()).toBe(0)
})

test('the absence of a Host that somebody could have is cached', async () => {
  const { origins, queries } = setUp()
  const host = `${'a'.repeat(20)}-1.vaults.example`
  expect(await origins.findByHost(host)).toBeUndefined()
  expect(origins.findByHost(host)).toBeUndefined()
  expect(queries()).toBe(1)
})
