import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { link, open, rename, rm, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { isRunning, thisProcess } from './process-identity.ts'

const Holder = z.object({ pid: z.number().int(), startedAt: z.string(), id: z.string() })
type Holder = z.infer<typeof Holder>

/** A lock file, and the error to throw when a live process holds it (`undefined` when the file cannot be read). */
export type LockPlace = { folder: string; name: string; held: (pid: number | undefined) => Error }

/** A lock file, held by this process. */
export type FileLock = { release(): Promise<void> }

/**
 * Takes a lock file for this process, or throws the error of `held`.
 *
 * The lock of a dead process is replaced by a rename, which needs the right to replace exactly that holder: a file
 * named after it, created by link, so that only one process can have it. If the owner of that right died too, the next
 * one needs the right to replace that owner, and so on. The owner of the right reads the lock again before renaming, so
 * a late one that still remembers the dead holder finds the new, live one and gives up.
 */
export async function takeLock(place: LockPlace): Promise<FileLock> {
  const own: Holder = { ...thisProcess(), id: randomBytes(9).toString('hex') }
  const path = join(place.folder, place.name)
  const draft = `${path}.${own.id}`
  const guards: string[] = []

  const handle = await open(draft, 'wx', 0o600)
  await handle.writeFile(JSON.stringify(own))
  await handle.sync()
  await handle.close()

  try {
    if (!(await claim(draft, path))) {
      const holder = await readHolder(path)
      if (holder && isRunning(holder)) throw place.held(holder.pid)
      await claimRight({ place, draft, guards, dead: holder })

      const now = await readHolder(path)
      if (now && isRunning(now)) throw place.held(now.pid)
      await rename(draft, path)
    }
  } finally {
    await Promise.all([draft, ...guards].map((file) => rm(file, { force: true })))
  }

  return {
    async release() {
      const holder = await readHolder(path)
      if (holder?.id === own.id) await unlink(path)
    },
  }
}

/** The live process that holds a lock file; undefined when there is none. */
export async function lockHolder(folder: string, name: string): Promise<number | undefined> {
  const holder = await readHolder(join(folder, name))
  return holder && isRunning(holder) ? holder.pid : undefined
}

type Right = { place: LockPlace; draft: string; guards: string[]; dead: Holder | undefined }

async function claimRight({ place, draft, guards, dead }: Right): Promise<void> {
  const guard = join(place.folder, `${place.name}.after-${dead?.id ?? 'unreadable'}`)
  if (await claim(draft, guard)) {
    guards.push(guard)
    return
  }
  const other = await readHolder(guard)
  if (!other) throw place.held(undefined)
  if (isRunning(other)) throw place.held(other.pid)
  await claimRight({ place, draft, guards, dead: other })
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

/** The holder that a lock file names; undefined when it does not exist or is no regular file (a link or a FIFO). */
async function readHolder(path: string): Promise<Holder | undefined> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(() => undefined)
  try {
    if (!(await file?.stat())?.isFile()) return undefined
    return Holder.parse(JSON.parse((await file?.readFile('utf8')) ?? ''))
  } catch {
    return undefined
  } finally {
    await file?.close()
  }
}
