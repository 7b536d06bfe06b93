import { randomUUID } from 'node:crypto'
import { batchesIn, batchTrailer } from './commit-message.ts'
import type { ChangeQueue } from './change-queue.ts'
import { BRANCH } from './import-stream.ts'
import type { PendingChanges } from './pending-changes.ts'
import type { PendingCommit } from './pending-commits.ts'
import type { Repository } from './repository.ts'

/** Passes pending changes to git, each exactly once, even if the daemon is killed in between. */
export type CommitWriter = {
  /**
   * Takes the changes that an earlier run left, which come before everything that is recorded from here on. That run may
   * have been killed before git was done with what it was passed. Returns the first id that is free.
   */
  resume(): number
  /**
   * Writes the commits whose time has come. Asks for the time again after each run of git: to an earlier time, what was
   * saved meanwhile would look like changes from before the clock was set back, and be written at once.
   */
  write(untilMs: () => number): Promise<void>
}

type Options = { repository: Repository; queue: ChangeQueue; pending: PendingChanges }

// While editors keep writing, no more than this is kept in memory.
const SOON_BYTES = 16 * 1024 * 1024
const BATCH_BYTES = 16 * 1024 * 1024
const BATCH_COMMITS = 1000
// Every batch that a queue file can name is among this many newest commits.
const LOOK_BACK = 5000

/** Commits the waiting changes of one vault, in batches. */
export function commitWriter({ repository, queue, pending }: Options): CommitWriter {
  let resumed: ReadonlyMap<string, readonly number[]> = new Map()

  /** The changes of an earlier run that are already in the history. */
  async function findDone(): Promise<ReadonlySet<number>> {
    if (resumed.size === 0 || repository.isEmpty()) return new Set()
    const known = batchesIn(await repository.git(['log', `--max-count=${LOOK_BACK}`, '--format=%B', BRANCH]))
    return new Set([...resumed].flatMap(([batch, ids]) => (known.has(batch) ? ids : [])))
  }

  async function hand(commits: readonly PendingCommit[]): Promise<void> {
    const [last] = commits.slice(-1)
    if (!last) return
    const batch = randomUUID()
    queue.begin(
      batch,
      commits.flatMap(({ ids }) => ids),
    )
    const marked = { ...last, message: `${last.message}\n${batchTrailer(batch)}\n` }
    await repository.write([...commits.slice(0, -1), marked])
  }

  return {
    resume() {
      const { changes, batches } = queue.load()
      resumed = batches
      for (const change of changes) pending.add(change)
      pending.moveEnded()
      let free = 0
      for (const ids of [changes.map(({ id }) => id), ...batches.values()])
        for (const id of ids) free = Math.max(free, id + 1)
      return free
    },
    async write(untilMs) {
      const due = () => pending.due(pending.bytes() > SOON_BYTES ? Number.POSITIVE_INFINITY : untilMs(), BATCH_COMMITS)
      let commits = due()
      if (commits.length === 0) return
      const done = await findDone()
      for (; commits.length > 0; commits = due())
        for (const batch of batchesOf(commits)) {
          await hand(batch.filter(({ ids }) => !ids.every((id) => done.has(id))))
          pending.written(batch)
        }
      resumed = new Map()
      queue.keep(pending.changes())
      await repository.tidy()
    },
  }
}

function* batchesOf(commits: readonly PendingCommit[]): Generator<PendingCommit[]> {
  let [batch, bytes]: [PendingCommit[], number] = [[], 0]
  for (const commit of commits) {
    batch.push(commit)
    bytes += commit.files.reduce((sum, file) => sum + (file.bytes?.length ?? 0), 0)
    if (bytes < BATCH_BYTES && batch.length < BATCH_COMMITS) continue
    yield batch
    ;[batch, bytes] = [[], 0]
  }
  if (batch.length > 0) yield batch
}
