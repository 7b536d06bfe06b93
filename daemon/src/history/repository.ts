import { lstat, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isThere, replaceFile } from '../files/durable-file.ts'
import { errnoOf } from '../files/fs-failure.ts'
import type { NamedNote } from '../watch/known-notes.ts'
import { turnOfItsOwn } from '../watch/slices.ts'
import { foundDamage, gitChunks, gitProcess, type RunGit } from './git/git-process.ts'
import { BRANCH, importStream, type Commit } from './import-stream.ts'
import { createGitLines, createGitListing } from './git/git-listing.ts'
import { gitRecords } from './git/git-records.ts'

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
  /** Runs a function that adds a commit to the branch in another way. */
  add(run: () => Promise<void>): Promise<void>
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
  /** Moves the directory away; returns its new path. */
  setAside(at: Date): Promise<string>
}

/** Where git works, and the signal that ends it. */
type Place = { gitDir: string; searchPath: string; signal?: AbortSignal }

/** The git directory contains something that git cannot read. */
export class DamagedRepository extends Error {}

const MANY_PACKS = 50

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
  const { gitDir } = place
  const git = gitProcess(place)
  let isFirst = true
  let imports = 0
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

  async function add(run: () => Promise<void>): Promise<void> {
    await run()
    isFirst = false
    imports++
    writes++
  }

  return {
    git,
    records: (args, visit) => gitRecords({ ...place, args, visit, maxBytes: Number.POSITIVE_INFINITY }),
    place,
    add,
    isEmpty: () => isFirst,
    writes: () => writes,
    async prepare() {
      if (await exists()) await clearLeftovers(gitDir)
      await mkdir(gitDir, { recursive: true })
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
      await add(async () => void (await git(['fast-import', '--quiet', '--done'], stream)))
    },
    async tidy() {
      if (imports >= MANY_PACKS) {
        await git(['repack', '-d', '-q', '--geometric=2'])
        imports = 0
      }
      await git(['commit-graph', 'write', '--reachable', '--changed-paths', '--split', '--no-progress'])
    },
    async eachNote(visit) {
      const take = createGitListing(visit)
      if (!isFirst) await gitChunks(place)(['ls-tree', '-r', '-z', BRANCH], { take })
    },
    eachCommit: (visit) => gitChunks(place)(['rev-list', BRANCH], { take: createGitLines(visit) }),
    async isWhole() {
      try {
        await git(['fsck', '--no-dangling', '--no-progress'])
        return !isFirst || !(await isThere(join(gitDir, BRANCH)))
      } catch (error) {
        if (!foundDamage(error)) throw error
        return false
      }
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

/** Removes locks and temporary files of a killed git. The home is locked, so no other git is at work here. */
async function clearLeftovers(gitDir: string): Promise<void> {
  for (const folder of ['', 'refs', 'refs/heads', 'objects/info', 'objects/info/commit-graphs', 'objects/pack'])
    for (const name of await readdir(join(gitDir, folder)).catch(() => []))
      if (/\.lock$|^tmp_|^fast_import_crash_/.test(name)) await rm(join(gitDir, folder, name), { force: true })
}
