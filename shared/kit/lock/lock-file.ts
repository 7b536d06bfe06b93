import {
  closeSync,
  constants,
  fstatSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { chanceName } from './chance-name.ts'
import { isRunning, thisProcess, type ProcessIdentity } from './process-identity.ts'

type Holder = ProcessIdentity & { id: string }

/** A lock file, and the error to throw when a live process holds it (`undefined` when the file cannot be read). */
export type LockPlace = { folder: string; name: string; held: (pid: number | undefined) => Error }

/** A lock file, held by this process. */
export type FileLock = { release(): void }

/**
 * Takes a lock file for this process, or throws the error of `held`. Synchronous, since a process can do nothing before
 * it has its lock.
 *
 * The lock of a dead process is replaced by a rename. Only the process with the right to replace exactly that holder
 * may rename. The right is a file named after the holder and created by link, so that only one process can have it. If
 * the owner of the right has died, too, the next process needs the right to replace that owner, and so on. The owner of
 * the right reads the lock again before renaming: a late process that still remembers the dead holder then finds the
 * new, live one and gives up.
 */
export function takeLock(place: LockPlace): FileLock {
  const own: Holder = { ...thisProcess(), id: chanceName() }
  const path = join(place.folder, place.name)
  const draft = `${path}.${own.id}`
  const guards: string[] = []

  try {
    writeFileSync(draft, JSON.stringify(own), { flag: 'wx', mode: 0o600, flush: true })
    if (!claim(draft, path)) {
      const holder = readHolder(path)
      if (holder && isRunning(holder)) throw place.held(holder.pid)
      claimRight({ place, draft, guards, dead: holder })

      const now = readHolder(path)
      if (now && isRunning(now)) throw place.held(now.pid)
      renameSync(draft, path)
    }
  } finally {
    for (const each of [draft, ...guards]) rmSync(each, { force: true })
  }

  return {
    release() {
      if (readHolder(path)?.id === own.id) unlinkSync(path)
    },
  }
}

/** The live process that holds a lock file; undefined when there is none. */
export function lockHolder(folder: string, name: string): number | undefined {
  const holder = readHolder(join(folder, name))
  return holder && isRunning(holder) ? holder.pid : undefined
}

type Right = { place: LockPlace; draft: string; guards: string[]; dead: Holder | undefined }

function claimRight({ place, draft, guards, dead }: Right): void {
  const guard = join(place.folder, `${place.name}.after-${dead?.id ?? 'unreadable'}`)
  if (claim(draft, guard)) {
    guards.push(guard)
    return
  }
  const other = readHolder(guard)
  if (!other) throw place.held(undefined)
  if (isRunning(other)) throw place.held(other.pid)
  claimRight({ place, draft, guards, dead: other })
  guards.push(guard)
}

function claim(draft: string, path: string): boolean {
  try {
    linkSync(draft, path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** The holder that a lock file names; undefined when it does not exist or is no regular file (a link or a FIFO). */
function readHolder(path: string): Holder | undefined {
  let file: number | undefined
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    if (!fstatSync(file).isFile()) return undefined
    return holderIn(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

function holderIn(text: string): Holder | undefined {
  const { pid, startedAt, id } = JSON.parse(text) as Partial<Record<keyof Holder, unknown>>
  if (!Number.isInteger(pid) || typeof startedAt !== 'string' || typeof id !== 'string') return undefined
  return { pid: pid as number, startedAt, id }
}
