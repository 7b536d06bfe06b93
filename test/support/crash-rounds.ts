import { randomInt } from 'node:crypto'
import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { AuditList, Note, Tree, type TreeNode } from '@svc/shared/wire/daemon/daemon.api.ts'
import { crashLoad } from './crash-load.ts'
import { call, newHome, startSvcd, type Svcd } from './svcd.ts'
import { until } from './until.ts'

const WRITERS = 4
const AUDITED = 1000

/** Kills a daemon under load so many times, and after each kill holds disk, audit and view to what was acknowledged. */
export async function crashRounds(kills: number): Promise<number> {
  const home = await newHome()
  await mkdir(join(home, 'vaults/v'), { recursive: true })
  const daemon = await startSvcd({ home })
  try {
    const load = crashLoad(daemon, { writers: WRITERS })
    for (let kill = 0; kill < kills; kill++) {
      await load.runUntil(
        () => systemClock.sleep(randomInt(20, 400)),
        () => daemon.kill(),
      )
      await daemon.restart()
      expect(await load.problems(), `after kill ${kill + 1}`).toEqual([])
      expect(await unaudited(daemon, load.takeAcknowledged()), `after kill ${kill + 1}`).toEqual([])
      // A kill before the first write leaves a vault that has no folder for drafts yet.
      const drafts = await readdir(daemon.file('v', '.svc/tmp')).catch(() => [])
      expect(drafts, `after kill ${kill + 1}`).toEqual([])
    }
    expect(await differences(daemon)).toEqual([])
    return load.acknowledgedTotal()
  } finally {
    await daemon.remove()
  }
}

/** Acknowledged changes without an entry that says they were done; entries of changes that are said to be running. */
async function unaudited(
  daemon: Svcd,
  acknowledged: ReturnType<ReturnType<typeof crashLoad>['takeAcknowledged']>,
): Promise<string[]> {
  const { entries } = AuditList.parse((await call(daemon, `/api/vaults/v/audit?limit=${AUDITED}`)).body)
  const done = entries.filter(({ outcome }) => outcome === 'done')
  // Deletions have no baseline to tell them apart, so they are counted.
  const keyOf = ({ tool, path, after }: { tool: string; path: string; after?: string | undefined }) =>
    `${tool} ${path} ${tool.startsWith('write_') ? (after ?? 'a conclusion was lost') : ''}`
  const counts = new Map<string, number>()
  for (const entry of done) counts.set(keyOf(entry), (counts.get(keyOf(entry)) ?? 0) + 1)
  const missing = acknowledged.slice(-AUDITED / 2).filter((mutation) => {
    const left = counts.get(keyOf(mutation)) ?? counts.get(keyOf({ ...mutation, after: undefined })) ?? 0
    counts.set(counts.has(keyOf(mutation)) ? keyOf(mutation) : keyOf({ ...mutation, after: undefined }), left - 1)
    return left <= 0
  })
  return [
    ...missing.map((mutation) => `no entry of ${keyOf(mutation)}`),
    ...entries.filter(({ outcome }) => outcome === 'pending').map(({ path }) => `pending: ${path}`),
  ]
}

/** Where the daemon's view and the disk differ. */
async function differences(daemon: Svcd): Promise<string[]> {
  await until('everything is indexed', async () => (await call(daemon, '/api/ready')).status === 200)
  const files = (nodes: TreeNode[]): string[] =>
    nodes.flatMap((node) => (node.kind === 'folder' ? files(node.children) : [node.path]))
  const known = files(Tree.parse((await call(daemon, '/api/vaults/v/tree')).body).tree).sort()
  const entries = await readdir(daemon.file('v', ''), { recursive: true, withFileTypes: true })
  const onDisk = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(daemon.file('v', '').length + 1))
    .filter((path) => !path.startsWith('.svc/') && !path.endsWith('~'))
    .sort()
  const found = known.join() === onDisk.join() ? [] : [`the tree knows ${known.join()}, the disk has ${onDisk.join()}`]
  for (const path of onDisk.filter((each) => each.endsWith('.md'))) {
    const { content } = Note.parse((await call(daemon, `/api/vaults/v/notes/${path}`)).body).note
    if (content !== (await readFile(daemon.file('v', path), 'utf8'))) found.push(`${path} is read otherwise`)
  }
  return found
}
