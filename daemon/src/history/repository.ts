import { lstat, mkdir, readdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { isFailure } from '@svc/shared/wire/errors.ts'
import { isThere, replaceFile } from '../files/durable-file.ts'
import { errnoOf } from '../files/fs-failure.ts'
import { clearGitLeftovers } from '../home/clear-git-leftovers.ts'
import type { NamedNote } from '../watch/known-notes.ts'
import { turnOfItsOwn } from '../watch/slices.ts'
import { foundDamage, gitChunks, gitProcess, type RunGit } from './git/git-process.ts'
import { BRANCH, importStream, type Commit } from './import-stream.ts'
import { createGitLines, createGitListing } from './git/git-listing.ts'
import { gitRecords } from './git/git-records.ts'
import { FACTOR, rolledUpPacks } from './git/rolled-up-packs.ts'

/** The git directory of one vault, which has one writer. */
export type Repository = {
  git: RunGit
  /** For output of any length: calls back with each record until it returns 'stop'. */
  records(args: readonly string[], visit: (record: string) => 'stop' | void): Promise<unknown>
  /** Prepares the directory for writing; fails with `DamagedRepository` if it cannot be used any more. */
  prepare(): Promise<void>
  isEmpty(): boolean
  /** Adds commits to the branch, all or none. */
  write(commits: readonly Commit[]): Promise<void>
  /** Runs a function that adds a commit with that many bytes of notes to the branch in another way. */
  add(run: () => Promise<void>, bytes: number): Promise<void>
  place: Place
  /** How often commits were added or all were lost, since the daemon started. */
  writes(): number
  /** Makes reading fast again after writing. */
  tidy(): Promise<void>
  /** Calls back with the name of every commit, the newest first. */
  eachCommit(visit: (commit: string) => void): Promise<void>
  /** Calls back with the newest revision of every note, in the order of the bytes of their paths. */
  eachNote(visit: (note: NamedNote) => void): Promise<void>
  /**
   * Checks whether every object is present and intact. Takes time in proportion to the history. Rejects when git cannot
   * tell.
   */
  isWhole(): Promise<boolean>
  /** Checks the same after an error, if the error can mean damage. */
  isWholeDespite(error: unknown): Promise<boolean>
  /** Moves the directory away; returns its new path. */
  setAside(at: Date): Promise<string>
}

/**
 * Where git works, and the signal that ends it. `makeRoom` fails with `storage_full` when that many more bytes would
 * use the reserve of the volume: notes can be deleted only while that is free.
 */
type Place = { gitDir: string; searchPath: string; signal?: AbortSignal; makeRoom(bytes: number): Promise<void> }

/** The git directory contains something that git cannot read. */
class DamagedRepository extends Error {}

const MANY_PACKS = 50
// Without room to write them anew, they are looked at again when there are this many more.
const MORE_PACKS = 10

// Small packs stay packs, nothing runs by itself beside our one writer, and written data survives a power loss. No work
// tree is ever written, so a folder may have a name that would mean `.git` on another file system, such as `git~1`.
const CONFIG = `[core]
\trepositoryFormatVersion = 0
\tbare = true
\tquotePath = false
\thooksPath = /dev/null
\tattributesFile = /dev/null
\tfsmonitor = false
\tfsync = all
\tprotectHFS = false
\tprotectNTFS = false
[gc]
\tauto = 0
[fastimport]
\tunpackLimit = 0
`

/**
 * A git directory of the daemon's own, whose commands end when the signal aborts; a `.git` of the user is never
 * touched.
 */
export function openRepository(place: Place): Repository {
  const { gitDir, makeRoom } = place
  const packs = join(gitDir, 'objects/pack')
  const git = gitProcess(place)
  let isFirst = true
  let packCount = 0
  let writes = 0

  /** True for a directory; anything else with its name, including a link to another repository, is not ours. */
  async function exists(): Promise<boolean> {
    try {
      if ((await lstat(gitDir)).isDirectory()) return true
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return false
      throw error
    }
    throw new DamagedRepository(`${gitDir} is not a directory`)
  }

  /** Runs git. What it leaves when it fails is removed at once: on a full volume, nothing could be deleted any more. */
  async function runClean(run: () => Promise<unknown>): Promise<void> {
    try {
      await run()
    } catch (error) {
      await clearGitLeftovers(gitDir).catch(() => {})
      throw error
    }
  }

  async function add(run: () => Promise<void>, bytes: number): Promise<void> {
    await makeRoom(bytes)
    await runClean(run)
    isFirst = false
    packCount++
    writes++
  }

  async function hasRoomFor(bytes: number): Promise<boolean> {
    try {
      await makeRoom(bytes)
      return true
    } catch (error) {
      if (isFailure(error, 'storage_full')) return false
      throw error
    }
  }

  /** Writes small packs anew as one, if the volume has room for both. */
  async function rollUpPacks(): Promise<void> {
    const bytes = (await rolledUpPacks(packs)).reduce((sum, pack) => sum + pack.bytes, 0)
    if (!(await hasRoomFor(bytes))) return void (packCount = MANY_PACKS - MORE_PACKS)
    await git(['repack', '-d', '-q', `--geometric=${FACTOR}`])
    packCount = 0
  }

  async function isWhole(): Promise<boolean> {
    try {
      await git(['fsck', '--no-dangling', '--no-progress'])
      return !isFirst || !(await isThere(join(gitDir, BRANCH)))
    } catch (error) {
      if (!foundDamage(error)) throw error
      return false
    }
  }

  return {
    git,
    records: (args, visit) => gitRecords({ ...place, args, visit, maxBytes: Number.POSITIVE_INFINITY }),
    place,
    add,
    isEmpty: () => isFirst,
    writes: () => writes,
    async prepare() {
      if (await exists()) await clearGitLeftovers(gitDir)
      await mkdir(gitDir, { recursive: true })
      // A daemon that often starts or sleeps adds few packs in each run.
      packCount = (await readdir(packs).catch(() => [])).filter((name) => name.endsWith('.pack')).length
      await replaceFile(gitDir, 'config', CONFIG)
      if (!(await isThere(join(gitDir, 'HEAD'))))
        await git(['init', '--quiet', '--bare', '--template=', '--initial-branch=main', gitDir])
      try {
        const head = (await git(['for-each-ref', '--format=%(objectname)', BRANCH])).trim()
        isFirst = head === ''
        if (isFirst && (await isThere(join(gitDir, BRANCH)))) throw new DamagedRepository('the branch names no commit')
        if (!isFirst) await git(['cat-file', '-e', `${head}^{tree}`])
      } catch (error) {
        if (!foundDamage(error)) throw error
        throw new DamagedRepository('git cannot read the history', { cause: error })
      }
    },
    async write(commits) {
      const stream = importStream(commits, { isFirst })
      // Starting a process copies the page tables of this one. In the turn that built the stream, it would block the
      // event loop for too long.
      await turnOfItsOwn()
      await add(async () => void (await git(['fast-import', '--quiet', '--done'], stream)), stream.length)
    },
    tidy: () =>
      runClean(async () => {
        if (packCount >= MANY_PACKS) await rollUpPacks()
        await git(['commit-graph', 'write', '--reachable', '--changed-paths', '--split', '--no-progress'])
      }),
    async eachNote(visit) {
      const take = createGitListing(visit)
      if (!isFirst) await gitChunks(place)(['ls-tree', '-r', '-z', BRANCH], { take })
    },
    eachCommit: (visit) => gitChunks(place)(['rev-list', BRANCH], { take: createGitLines(visit) }),
    isWhole,
    async isWholeDespite(error) {
      if (error instanceof DamagedRepository) return false
      return isFailure(error, 'storage_full') || isWhole()
    },
    async setAside(at) {
      const aside = `${gitDir}.damaged-${at.toISOString().replace(/[^0-9TZ]/g, '')}`
      await rename(gitDir, aside)
      isFirst = true
      writes++
      return aside
    },
  }
}
