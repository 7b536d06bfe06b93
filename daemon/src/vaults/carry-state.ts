import { readdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { isThere, syncFolder } from '../files/durable-file.ts'
import { errnoOf } from '../files/fs-failure.ts'
import type { HomeLayout } from '../home/home-layout.ts'

/** The folders of the daemon in which every vault has files of its own. */
export type StateLayout = Pick<HomeLayout, 'audit' | 'history' | 'index' | 'live' | 'news' | 'mounted'>

type Carried = { layout: StateLayout; from: string; to: string; at: Date }

/**
 * Moves the daemon's data about a vault to another name, durably: history, audit, index, news, mounted folders, and
 * typed text that is not in its note yet. Data that nobody owns under that name is moved aside.
 */
export async function carryState({ layout, from, to, at }: Carried): Promise<void> {
  const moved = new Set<string>()
  for (const [folder, end] of partsOf(layout)) {
    const [old, next] = [join(folder, `${from}${end}`), join(folder, `${to}${end}`)]
    if (!(await isThere(old))) continue
    if (await isThere(next)) await rename(next, `${next}${asideEnd(at)}`)
    await rename(old, next)
    moved.add(folder)
  }
  for (const folder of moved) await syncFolder(folder)
}

/** Moves the data that nobody owns under a name aside: a vault that is created under it begins without any. */
export async function setStateAside({ layout, name, at }: { layout: StateLayout; name: string; at: Date }) {
  for (const [folder, end] of partsOf(layout)) {
    const path = join(folder, `${name}${end}`)
    if (await isThere(path)) await rename(path, `${path}${asideEnd(at)}`)
  }
}

/** The names under which any data is. An index is none: it can be built again. */
export async function namesWithState(layout: StateLayout): Promise<Set<string>> {
  const names = new Set<string>()
  for (const [folder, end] of partsOf(layout)) {
    if (folder === layout.index) continue
    for (const entry of await entriesOf(folder)) if (entry.endsWith(end)) names.add(entry.slice(0, -end.length))
  }
  return names
}

async function entriesOf(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return []
    throw error
  }
}

const asideEnd = (at: Date) => `.earlier-${at.toISOString().replace(/[^0-9TZ]/g, '')}`

/** The files and folders of the daemon that are named after a vault: where they are, and how their names end. */
const partsOf = ({ audit, history, index, live, news, mounted }: StateLayout): (readonly [string, string])[] => [
  ...['.git', '.git.queue', '.git.purged.jsonl'].map((end) => [history, end] as const),
  [audit, '.jsonl'],
  [live, '.wal'],
  [news, '.jsonl'],
  [mounted, '.json'],
  [index, ''],
]
