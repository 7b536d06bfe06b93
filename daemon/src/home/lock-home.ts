import { randomBytes } from 'node:crypto'
import { link, rename, rm, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { writeNewFile } from '../files/durable-file.ts'
import { readOwnFile } from '../files/regular-file.ts'
import type { HomeLayout } from './home-layout.ts'
import { isRunning, thisProcess } from './process-identity.ts'
import { notNow } from './start-failure.ts'

const Holder = z.object({ pid: z.number().int(), startedAt: z.string(), id: z.string() })
type Holder = z.infer<typeof Holder>

/** The lock on a home, held by this process. */
export type HomeLock = { release(): Promise<void> }

/**
 * Takes the home for this process, or fails with 75 naming the live holder.
 *
 * A lock of a dead process is replaced by a rename, which needs the right to replace exactly that holder: a file named
 * after it, made by link, so one process alone can have it. If the owner of such a right died too, the next one needs
 * the right to replace that owner, and so on. Whoever has the right looks at the lock again before renaming, so a late
 * one that still remembers the dead holder finds the new, live one and gives up.
 */
export async function lockHome(layout: HomeLayout): Promise<HomeLock> {
  const own: Holder = { ...thisProcess(), id: randomBytes(9).toString('hex') }
  const draft = join(layout.daemon, `lock.${own.id}`)
  const guards: string[] = []

  await writeNewFile(draft, JSON.stringify(own))

  try {
    if (!(await claim(draft, layout.lockFile))) {
      const holder = await readHolder(layout.lockFile)
      if (holder && isRunning(holder)) throw held(layout, holder)
      await claimRight({ layout, draft, guards, dead: holder })

      const now = await readHolder(layout.lockFile)
      if (now && isRunning(now)) throw held(layout, now)
      await rename(draft, layout.lockFile)
    }
  } finally {
    await Promise.all([draft, ...guards].map((path) => rm(path, { force: true })))
  }

  return {
    async release() {
      const holder = await readHolder(layout.lockFile)
      if (holder?.id === own.id) await unlink(layout.lockFile)
    },
  }
}

type Right = { layout: HomeLayout; draft: string; guards: string[]; dead: Holder | undefined }

async function claimRight({ layout, draft, guards, dead }: Right): Promise<void> {
  const guard = join(layout.daemon, `lock.after-${dead?.id ?? 'unreadable'}`)
  if (await claim(draft, guard)) {
    guards.push(guard)
    return
  }
  const other = await readHolder(guard)
  if (!other) throw notNow(`SVC_HOME ${layout.home} is in use: ${guard} cannot be read`)
  if (isRunning(other)) throw held(layout, other)
  await claimRight({ layout, draft, guards, dead: other })
  guards.push(guard)
}

async function claim(draft: string, path: string): Promise<boolean> {
  try {
    await link(draft, path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

async function readHolder(path: string): Promise<Holder | undefined> {
  try {
    return Holder.parse(JSON.parse((await readOwnFile(path)) ?? ''))
  } catch {
    return undefined
  }
}

const held = (layout: HomeLayout, { pid }: Holder) =>
  notNow(`SVC_HOME ${layout.home} is in use by another svcd (process ${pid})`)
