import { expect, test } from 'vitest'
import { verifies } from '../../../../test/requirements.ts'
import type { VaultRegistry } from '../../vaults/vault-registry.ts'
import { leastLongestTurnMs } from '../../../../test/support/longest-turn.ts'
import { STALL_MS } from '../../../../test/support/fuzz.ts'
import type { Vault } from '../../vaults/vault.ts'
import { Manifest } from '../../watch/manifest.ts'
import { nothingRemembered } from '../../watch/remembered.ts'
import { completeArgument } from '../complete-argument.ts'
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

const stamp = { size: 1, mtimeMs: 1, ctimeMs: 1, ino: 1 }
const edited = (path: string) => ({ path, stamp: { ...stamp, size: 2 }, facts: undefined })
const numbered = (count: number) => Array.from({ length: count }, (_, at) => `n${String(at).padStart(6, '0')}.md`)

/** A vault whose files are all as remembered. */
async function vaultOf(id: string, paths: readonly string[]): Promise<Vault> {
  const manifest = new Manifest()
  const numbers = new Map(paths.map((path, number) => [path, number]))
  const switching = await manifest.compare({
    ...nothingRemembered,
    count: paths.length,
    numberOf: (path) => numbers.get(path) ?? -1,
    firstAtOrAfter(path) {
      const first = paths.findIndex((each) => each >= path)
      return first === -1 ? paths.length : first
    },
    path: (number) => paths[number]!,
    stamp: () => stamp,
    hasStamp: () => true,
    isNote: () => false,
  })
  switching.adopt()
  await manifest.listed('', new Map(paths.map((path) => [path, stamp])), () => undefined)
  return { id, manifest, listed: Promise.resolve() } as unknown as Vault
}

const listsOf = (vaults: readonly Vault[]) =>
  vaultResources({ registry: { list: () => vaults } as never, readNote: () => expect.fail('no note is read') })

/** All resources by the page; `between` runs before each further page. */
async function listAll(
  vaults: readonly Vault[],
  { between = () => {}, cursors }: { between?: (page: number) => void; cursors: 'long' | undefined },
) {
  const { list } = listsOf(vaults)
  const found: string[] = []
  let cursor: string | undefined
  for (let page = 0; page === 0 || cursor !== undefined; page++) {
    if (page > 0) between(page)
    const answer = await list({ cursor, cursors, may: (id) => id !== 'secret' })
    if (cursors === undefined) expect(answer.nextCursor ?? '').toMatch(/^\d{0,20}$/)
    found.push(...answer.resources.map(({ uri }) => uri))
    cursor = answer.nextCursor
  }
  return found
}
const urisOf = (id: string, paths: readonly string[]) => paths.map((path) => `vault://${id}/${path}`)

test('files that change between two pages are listed once, and so are all others', async () => {
  verifies('mcp.resources-paged')
  const paths = numbered(1000)
  const vault = await vaultOf('v', paths)
  const found = await listAll([vault], {
    cursors: 'long',
    between(page) {
      for (const path of [paths[page]!, paths[500 + page]!, paths[999]!]) vault.manifest.putFile(edited(path))
      vault.manifest.removeFile(paths[page * 200 - 1]!)
    },
  })
  // The last file of a page is removed after it was listed.
  expect(found).toEqual(urisOf('v', paths))
})

test.each([
  { name: 'by path', cursors: 'long' as const },
  { name: 'by position, for a control plane that knows short cursors alone,', cursors: undefined },
])('pages $name go on from vault to vault, and leave out those that the caller may not use', async ({ cursors }) => {
  verifies('mcp.resources-paged')
  const [few, many] = [numbered(3), numbered(450)]
  const vaults = [
    await vaultOf('a', few),
    await vaultOf('b', many),
    await vaultOf('secret', few),
    await vaultOf('z', few),
  ]
  expect(await listAll(vaults, { cursors })).toEqual([...urisOf('a', few), ...urisOf('b', many), ...urisOf('z', few)])
  const exact = [await vaultOf('a', numbered(200)), await vaultOf('b', []), await vaultOf('c', few)]
  expect(await listAll(exact, { cursors })).toEqual([...urisOf('a', numbered(200)), ...urisOf('c', few)])
})

test('a list that began by position goes on by position when the control plane is updated meanwhile', async () => {
  verifies('mcp.resources-paged')
  const { list } = listsOf([await vaultOf('v', numbered(450))])
  const { nextCursor } = await list({ cursor: undefined, cursors: undefined, may: () => true })
  const { resources, ...next } = await list({ cursor: nextCursor, cursors: 'long', may: () => true })
  expect(resources.map(({ uri }) => uri)).toEqual(urisOf('v', numbered(450).slice(200, 400)))
  expect(next).toEqual({ nextCursor: '400' })
})

test.each(['-1', '1234567890', '', 'x', 'vault://', 'file:///v/a.md'])('%j is not a cursor', async (cursor) => {
  verifies('mcp.resources-paged')
  const { list } = listsOf([await vaultOf('v', ['a.md'])])
  await expect(list({ cursor, cursors: 'long', may: () => true })).rejects.toMatchObject({
    code: 'invalid_request',
    details: [{ path: 'cursor' }],
  })
})

test('the files of a large vault are listed and completed in short turns', { timeout: 120_000 }, async () => {
  verifies('untrusted.off-loop')
  const paths = numbered(60_000)
  const vault = await vaultOf('v', paths)
  const { list } = listsOf([vault])
  const last = { cursor: `vault://v/${paths[59_000]}`, cursors: 'long', may: () => true } as const
  const lastByPosition = { cursor: '59000', cursors: undefined, may: () => true }
  const complete = () => completeArgument([vault], { name: 'path', value: 'N0', vaultId: 'v' })
  expect(await leastLongestTurnMs(() => list(last))).toBeLessThan(STALL_MS)
  expect(await leastLongestTurnMs(() => list(lastByPosition))).toBeLessThan(STALL_MS)
  expect(await leastLongestTurnMs(complete)).toBeLessThan(STALL_MS)
  expect(await complete()).toMatchObject({ values: paths.slice(0, 100), total: 60_000, hasMore: true })
  for (const path of paths) vault.manifest.putFile(edited(path))
  expect(await leastLongestTurnMs(() => list(last))).toBeLessThan(STALL_MS)
  expect(await leastLongestTurnMs(() => list(lastByPosition))).toBeLessThan(STALL_MS)
  expect(await leastLongestTurnMs(complete)).toBeLessThan(STALL_MS)
})
