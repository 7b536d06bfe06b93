import { mkdir, readdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { hostilePaths } from '../corpus/hostile-paths.ts'
import { hostileSurfaces, IMPORTED, type Surface } from './hostile-surfaces.ts'
import { outsideOf, SECRET, writeHostileHome } from './hostile-vault.ts'
import { call, newHome, rawRequest, startSvcd } from './svcd.ts'
import { until } from './until.ts'

type Named = { path: string; mayBeThere: boolean; mayBeMade: boolean; wasLegal: boolean }

/**
 * Uses every hostile path on every surface, or with `share` n on every n-th surface, a different n-th for each path.
 * Every response must be typed, no forbidden path may be accepted, and nothing outside the vault may change. Returns
 * the number of paths and of calls.
 */
export async function nameHostilePaths({ share }: { share: number }): Promise<{ paths: number; asked: number }> {
  const home = await newHome()
  const { traps, close } = await writeHostileHome(home)
  const daemon = await startSvcd({ home })
  const { surfaces, close: disconnect } = await hostileSurfaces(daemon)
  try {
    await until('the vault is read', async () => (await call(daemon, '/api/ready')).status === 200)
    const before = await outsideOf(home)
    const paths: Named[] = [
      ...traps.map(({ path, served }) => ({ path, mayBeThere: served, mayBeMade: served, wasLegal: true })),
      ...hostilePaths.map(({ path, verdict }) => ({
        path,
        mayBeThere: verdict === 'legal' || verdict === 'existing',
        mayBeMade: verdict === 'legal',
        wasLegal: verdict === 'legal' || verdict === 'existing',
      })),
    ]
    let asked = 0
    const wrong: string[] = []
    for (const [number, named] of paths.entries()) {
      // Names that a file can have are not tried on the import: an archive may contain them.
      const fit = surfaces.filter(({ name }) => name !== 'import' || !named.wasLegal)
      const some = fit.filter((_, index) => (index + number) % share === 0)
      for (const surface of some) {
        asked++
        const problem = await problemOf(surface, named)
        if (problem !== undefined) wrong.push(`${surface.name} ${JSON.stringify(named.path.slice(0, 80))}: ${problem}`)
      }
    }
    expect(wrong).toEqual([])
    expect(withoutImports(await outsideOf(home))).toEqual(before)
    expect((await call(daemon, '/api/health')).status).toBe(200)
    return { paths: paths.length, asked }
  } finally {
    await disconnect()
    await close()
    await daemon.remove()
  }
}

/** Removes imported vaults: an archive whose files are all left out creates an empty vault. */
const withoutImports = (found: Record<string, string>) =>
  Object.fromEntries(Object.entries(found).filter(([path]) => !path.startsWith(`vaults/${IMPORTED}`)))

async function problemOf({ ask, undo, makes, root, past, name }: Surface, named: Named) {
  const { path, mayBeThere, mayBeMade, wasLegal } = named
  if (root?.test(path)) return undefined
  // An import may skip hidden files, so it accepts their archive.
  const isOfArchive = path.endsWith('/') || path.split('/').some((segment) => segment.startsWith('.'))
  try {
    const outcome = await ask(path)
    if (outcome === 'accepted') await undo?.(path)
    const isAllowed = name === 'import' ? isOfArchive : (past && wasLegal) || (makes ? mayBeMade : mayBeThere)
    return outcome === 'accepted' && !isAllowed ? 'was accepted' : undefined
  } catch (error) {
    return (error as Error).message
  }
}

/**
 * Makes a daemon write into its own folders of a vault after they were replaced by links that lead out of the vault.
 */
export async function writeThroughOwnFolders(): Promise<void> {
  const home = await newHome()
  const { close } = await writeHostileHome(home)
  const vault = join(home, 'vaults/v')
  const own = ['trash', 'tmp', 'folders.yml', 'move.json']
  await mkdir(join(vault, '.svc'))
  for (const name of own)
    await symlink(join(home, 'canary', name === 'folders.yml' ? 'secret.md' : ''), join(vault, '.svc', name))
  const daemon = await startSvcd({ home })
  // By now the other vault has got its identity.
  const before = await outsideOf(home)
  try {
    const headers = { 'content-type': 'application/json', 'if-match': '*' }
    const requests: [string, string, unknown?][] = [
      ['GET', 'tree'],
      ['GET', 'trash'],
      ['PUT', 'notes/README.md', { content: 'changed' }],
      ['DELETE', 'notes/README.md'],
      ['DELETE', 'folders/sub'],
      ['POST', 'move', { from: 'source.md', to: 'moved.md' }],
      ['POST', 'move', { from: 'sub', to: 'elsewhere' }],
    ]
    for (const [method, path, json] of requests) {
      const body = json === undefined ? {} : { body: JSON.stringify(json) }
      const answer = await rawRequest({ url: daemon.url, path: `/api/vaults/v/${path}`, method, headers, ...body })
      expect(answer.status, `${method} ${path}: ${answer.body}`).toBeLessThan(500)
      expect(answer.body).not.toContain(SECRET)
    }
  } finally {
    await daemon.stop()
    expect(await outsideOf(home)).toEqual(before)
    expect((await readdir(join(home, 'canary'))).toSorted()).toEqual(['deep', 'hard.md', 'secret.md'])
    await close()
    await daemon.remove()
  }
}
