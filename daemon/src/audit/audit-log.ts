import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { z } from 'zod'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import type { AuditEntry } from '@svc/shared/wire/daemon/daemon-audit.api.ts'
import { createLineAppender } from '../files/append-lines.ts'
import type { Disk } from '../files/disk/disk.ts'
import { linesBackward } from '../files/read-backward.ts'
import { actorId, type Actor } from '../entry/actor.ts'
import { Conclusion, idIn, Intent, isMark, parseLine, type Mark } from './audit-lines.ts'
import type { Evidence } from './evidence.ts'
import { newestEntries, type EntryFilter } from './newest-entries.ts'
import { UndoneCounts, type UndoneChanges, type UndoneCount } from './undone-changes.ts'

/** What is done to which file. Never the content. */
export type Mutation = {
  by: Actor
  tool: string
  path: string
  /** The new path of a moved file or folder. */
  to?: string | undefined
  before?: string | undefined
  after?: string | undefined
  /** The changes of agents that a revert takes back. */
  undone?: readonly UndoneChanges[] | undefined
}

/** An entry that is durable before its change. It is concluded when the outcome is known. */
export type AuditIntent = { done(after?: string): void; failed(): void }

/** The append-only record of changes of one vault. */
export type AuditLog = {
  /** Resolves when the entry is on disk; the change starts only then. */
  intend(mutation: Mutation, evidence: Evidence): Promise<AuditIntent>
  /** Records something that is complete, such as an edit that changed nothing. Resolves when the entry is on disk. */
  record(mutation: Mutation): Promise<void>
  /** The newest entries, newest first. */
  newest(limit: number, filter?: EntryFilter): Promise<z.infer<typeof AuditEntry>[]>
  /** How many changes of each agent were taken back by reverts. */
  undone(): Promise<UndoneCount[]>
  /** Resolves when everything recorded so far is written. */
  close(): Promise<void>
}

// A start reads about as many entries as there are between two marks.
const ENTRIES_PER_MARK = 1000
// So many failures of a volume are kept to be concluded later. After more of them there is no mark before the next start.
const MAX_REFUSED = 10_000

export type AuditLogOptions = {
  folder: string
  vaultId: string
  disk: Disk
  /** True when the folder is on a disk of this machine. */
  isLocal?: boolean
  clock: Clock
  log: Log
  /** True when the vault shows that a change was made. */
  isMade(evidence: Evidence): Promise<boolean>
}

/**
 * Opens the record of a vault: one JSON object per line. An entry is an intent, written before the change, and a
 * conclusion, written after it. Intents that a kill left open are concluded on opening, from the state of the vault. For
 * that, a start reads back to the last mark.
 */
export function createAuditLog({
  folder,
  vaultId,
  disk,
  isLocal = false,
  clock,
  log,
  isMade,
}: AuditLogOptions): AuditLog {
  const path = join(folder, `${vaultId}.jsonl`)
  const lines = createLineAppender({ path, disk, isLocal })
  const now = () => clock.now().toISOString()
  let areMarksAllowed = false
  const recovered = recover().then(
    () => {
      areMarksAllowed = true
    },
    (error: unknown) => {
      // A mark would hide them from the next start.
      log.error({ err: error, vault: vaultId }, 'audit entries of an earlier run could not be concluded')
    },
  )
  let sinceMark = 0
  let openIntents = 0
  // The volume refused them, but their lines may be in the file.
  const refused = new Set<string>()

  function markIfDue(): void {
    const isDue = areMarksAllowed && openIntents === 0 && sinceMark >= ENTRIES_PER_MARK
    if (!isDue || refused.size > MAX_REFUSED) return
    for (const id of refused) conclude({ id, outcome: 'failed' })
    refused.clear()
    sinceMark = 0
    lines.appendLater(mark())
  }

  const mark = () => JSON.stringify({ opened: now() } satisfies Mark)

  async function recover(): Promise<void> {
    const concluded = new Set<string>()
    const open: z.infer<typeof Intent>[] = []
    let isUsed = false
    for await (const line of linesBackward(path)) {
      const value = parseLine(line)
      if (isMark(value)) break
      if (value !== undefined) isUsed = true
      const { id, isConclusion } = idIn(value) ?? {}
      if (id === undefined) continue
      if (isConclusion) concluded.add(id)
      else if (!concluded.delete(id)) {
        const intent = Intent.safeParse(value)
        if (intent.success) open.unshift(intent.data)
      }
    }
    for (const { id, evidence, undone } of open)
      conclude((await isMade(evidence)) ? { id, outcome: 'done', undone } : { id, outcome: 'interrupted' })
    if (isUsed) await lines.append(mark())
  }

  // Counted on first use, and again after a revert.
  let counted: Promise<UndoneCounts> | undefined

  async function countUndone(): Promise<UndoneCounts> {
    const counts = new UndoneCounts()
    for await (const line of linesBackward(path)) {
      if (!line.includes('"outcome":"done"') || !line.includes('"undone":')) continue
      const conclusion = Conclusion.safeParse(parseLine(line))
      if (conclusion.data?.undone) counts.add(conclusion.data.undone.path, conclusion.data.undone.changes)
    }
    return counts
  }

  function conclude(conclusion: Conclusion): void {
    if (conclusion.undone) counted = undefined
    lines.appendLater(JSON.stringify(conclusion))
  }

  const entryOf = ({ by, tool, path: file, to, before, after }: Mutation) => {
    const client = by.kind === 'mcp_client' ? by.client : by.kind === 'person' ? by.name : undefined
    const { person, integration, registration } = by.kind === 'mcp_client' ? by : {}
    const agent = { client, person, integration, registration }
    return { at: now(), actor: actorId(by), ...agent, tool, path: file, to, before, after }
  }

  return {
    async intend(mutation, evidence) {
      await recovered
      const id = randomBytes(9).toString('hex')
      const { path: file, undone: changes = [] } = mutation
      const undone = changes.length === 0 ? undefined : { path: file, changes: [...changes] }
      const intent = { ...entryOf(mutation), id, evidence, undone } satisfies z.infer<typeof Intent>
      openIntents++
      sinceMark++
      try {
        await lines.append(JSON.stringify(intent))
      } catch (error) {
        openIntents--
        if (refused.size <= MAX_REFUSED) refused.add(id)
        throw error
      }
      let isOpen = true
      const close = (conclusion: Conclusion) => {
        conclude(conclusion)
        if (isOpen) openIntents--
        isOpen = false
        markIfDue()
      }
      return {
        done: (after) => close({ id, outcome: 'done', after, undone }),
        failed: () => close({ id, outcome: 'failed' }),
      }
    },
    async record(mutation) {
      await recovered
      await lines.append(JSON.stringify(entryOf(mutation)))
      sinceMark++
      markIfDue()
    },
    async newest(limit, filter) {
      await recovered
      await lines.flush()
      return newestEntries(path, limit, filter)
    },
    async undone() {
      await recovered
      await lines.flush()
      const counting = (counted ??= countUndone())
      try {
        return (await counting).list()
      } catch (error) {
        if (counted === counting) counted = undefined
        throw error
      }
    },
    async close() {
      await recovered
      await lines.flush()
    },
  }
}
