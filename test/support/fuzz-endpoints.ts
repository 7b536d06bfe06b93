import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { hostilePaths } from '../corpus/hostile-paths.ts'
import { startAgentWorld } from './agent-world.ts'
import { AT_ONCE, callFuzzed, fuzzMcp, type FuzzedEndpoint } from './fuzz-mcp.ts'
import type { Random } from './hostile-text.ts'
import { callMany } from './call-many.ts'
import { mcpSession } from './mcp-session.ts'

const SECRET = 'secret of the other vault'
const HOME_ENTRIES = ['canary.txt', 'daemon', 'vaults']
const vaultId = 'demo-vault'

type Size = { calls: number; seed: number; everyPath: number }

/**
 * Fuzzes the endpoint of the platform and the endpoint of a daemon, both for the same vault, and calls every tool that
 * takes a path with hostile paths. Nothing outside that vault may change or be shown.
 */
export async function fuzzEndpoints({ calls, seed, everyPath }: Size) {
  const world = await startAgentWorld()
  try {
    const ada = world.cp.person()
    await ada.signUp({ email: 'ada@example.org' })
    const { id, slug, daemon } = await world.addOrganization(ada, 'Acme')
    const canary = join(daemon.home, 'canary.txt')
    const other = join(daemon.home, 'vaults/other')
    await writeFile(canary, SECRET)
    await mkdir(other, { recursive: true })
    await writeFile(join(other, 'secret.md'), SECRET)

    const { access } = await world.signIn(ada, { vaults: [{ orgId: id, vaultId }] })
    const url = `${world.cp.origin.replace('localhost', '127.0.0.1')}/mcp`
    const authorization = { authorization: `Bearer ${access}` }
    const session = await mcpSession(url, '2025-11-25', authorization)
    await session.tool('list_vaults', { org: slug })
    await world.approve(ada, id)

    const platform: FuzzedEndpoint = {
      name: 'the platform',
      url,
      headers: { ...authorization, ...session.headers },
      more: (random: Random) =>
        random.below(10) === 0 ? { org: random.pick(['other', '', '../x', '\ud800', 7]) } : { org: slug },
      secret: SECRET,
    }
    const local = await mcpSession(`${daemon.url}/mcp`, '2025-11-25')
    // A local caller may use every vault, so the fuzzed calls only name this vault.
    const machine: FuzzedEndpoint = {
      name: 'a daemon',
      url: `${daemon.url}/mcp`,
      headers: local.headers,
      more: (random) => ({ vaultId: random.pick([vaultId, vaultId, 'none', '../other']) }),
      secret: SECRET,
    }

    const counted = {
      platform: await fuzzMcp(platform, { calls, seed }),
      daemon: await fuzzMcp(machine, { calls, seed: seed + 1 }),
    }
    const paths =
      (await hostilePathCalls(platform, { more: { org: slug, vaultId }, everyPath })) +
      (await hostilePathCalls(machine, { more: { vaultId }, everyPath }))

    expect(await readFile(canary, 'utf8')).toBe(SECRET)
    expect((await readdir(other)).filter((name) => name !== '.svc')).toEqual(['secret.md'])
    expect((await readdir(daemon.home)).toSorted()).toEqual(HOME_ENTRIES)
    expect((await session.tool('read_note', { org: slug, vaultId, path: 'README.md' }))['code']).toBeOneOf([
      undefined,
      'not_found',
    ])
    return { ...counted, paths }
  } finally {
    await world.stop()
  }
}

const since = '2000-01-01T00:00:00Z'
const edits = [{ oldText: 'a', newText: 'b' }]
/** Every tool that takes a path, and its other arguments. `makes`: the tool would create a file of that name. */
const tools: readonly [name: string, makes: boolean, args: (path: string) => object][] = [
  ['read_note', false, (path) => ({ path })],
  ['create_note', true, (path) => ({ path, content: 'x' })],
  ['edit_note', false, (path) => ({ path, baseline: 'x', edits })],
  ['delete_note', false, (path) => ({ path })],
  ['move_note', true, (path) => ({ path: 'README.md', newPath: path })],
  ['move_note', false, (path) => ({ path, newPath: 'moved.md' })],
  ['list_links', false, (path) => ({ path })],
  ['note_history', false, (path) => ({ path })],
  ['revert_changes', false, (path) => ({ path, since })],
  ['read_attachment', false, (path) => ({ path })],
  ['write_attachment', true, (path) => ({ path, data: 'eA==' })],
]

async function hostilePathCalls(
  endpoint: FuzzedEndpoint,
  { more, everyPath }: { more: object; everyPath: number },
): Promise<number> {
  const paths = hostilePaths.filter((_, index) => index % everyPath === 0)
  const calls = paths.length * tools.length
  await callMany({ calls, atOnce: AT_ONCE, name: `hostile paths at ${endpoint.name}` }, async (at) => {
    const [name, makes, args] = tools[at % tools.length]!
    const { path, verdict, what } = paths[Math.floor(at / tools.length)]!
    const done = await callFuzzed(endpoint, { id: at, name, args: { ...more, ...args(path) } })
    const isHarmless = verdict === 'legal' || (verdict === 'existing' && !makes) || name === 'revert_changes'
    if (done && !isHarmless) throw new Error(`${name} took ${what}`)
  })
  return calls
}
