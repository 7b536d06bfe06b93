import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { isThere } from '../files/durable-file.ts'
import type { HomeLayout } from '../home/home-layout.ts'

type Carried = {
  layout: Pick<HomeLayout, 'audit' | 'history' | 'index' | 'live' | 'news' | 'mounted'>
  from: string
  to: string
  at: Date
}

/**
 * Moves the daemon's data about a renamed vault to the new name: history, audit, index, news, mounted folders, and
 * typed text that is not in its note yet. Data that an earlier vault left under that name is moved aside.
 */
export async function carryState({
  layout: { audit, history, index, live, news, mounted },
  from,
  to,
  at,
}: Carried): Promise<void> {
  const aside = `.earlier-${at.toISOString().replace(/[^0-9TZ]/g, '')}`
  const kept: (readonly [string, string])[] = [
    ...['.git', '.git.queue', '.git.purged.jsonl'].map((end) => [history, end] as const),
    [audit, '.jsonl'],
    [live, '.wal'],
    [news, '.jsonl'],
    [mounted, '.json'],
    [index, ''],
  ]
  for (const [folder, end] of kept) {
    const [old, next] = [join(folder, `${from}${end}`), join(folder, `${to}${end}`)]
    if (!(await isThere(old))) continue
    if (await isThere(next)) await rename(next, `${next}${aside}`)
    await rename(old, next)
  }
}
