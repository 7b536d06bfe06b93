import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { z } from 'zod'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { AuditEntry } from '@svc/shared/wire/daemon/daemon-audit.api.ts'
import { createLineAppender } from '../files/append-lines.ts'
import type { Disk } from '../files/disk/disk.ts'
import { linesBackward } from '../files/read-backward.ts'
import { actorId, type Actor } from '../entry/actor.ts'
import { Evidence } from './evidence.ts'
import { UndoneChanges, UndoneCounts, type UndoneCount } from './undone-changes.ts'

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
  newest(limit: number): Promise<z.infer<typeof AuditEntry>[]>
  /** How many changes of each agent were taken back by reverts. */
  undone(): Promise<UndoneCount[]>
  /** Resolves when everything recorded so far is written. */
  close(): Promise<void>
}

const Undone = z.object({ path: z.string(), changes: z.array(UndoneChanges) })
const Intent = AuditEntry.omit({ outcome: true }).extend({
  id: z.string(),
  evidence: Evidence,
  undone: Undone.optional(),
})
const Conclusion = z.object({
  id: z.string(),
  outcome: z.enum(['done', 'failed', 'interrupted']),
  after: z.string().optional(),
  /** Copied from the intent if the change was made. Only these lines are counted. */
  undone: Undone.optional(),
})
const Opening = z.object({ opened: z.string() })
type Conclusion = z.infer<typeof Conclusion>

type Options = {
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
 * conclusion, written after it. Intents that a kill left open are concluded on opening, from the state of the vault.
 */
export function createAuditLog({ folder, vaultId, disk, isLocal = false, clock, log, isMade }: Options): AuditLog {
  const path = join(folder, `${vaultId}.jsonl`)
  const lines = createLineAppender({ path, disk, isLocal })
  const now = () => clock.now().toISOString()
  const recovered = recover().catch((error: unknown) => {
    log.error({ err: error, vault: vaultId }, 'audit entries of an earlier run could not be concluded')
  })

  async function recover(): Promise<void> {
    const concluded = new Set<string>()
    const open: z.infer<typeof Intent>[] = []
    let isUsed = false
    for await (const line of linesBackward(path)) {
      const value = parse(line)
      if (Opening.safeParse(value).success) break
      if (value !== undefined) isUsed = true
      const conclusion = Conclusion.safeParse(value)
      const intent = Intent.safeParse(value)
      if (conclusion.success) concluded.add(conclusion.data.id)
      else if (intent.success && !concluded.has(intent.data.id)) open.unshift(intent.data)
    }
    for (const { id, evidence, undone } of open)
      conclude((await isMade(evidence)) ? { id, outcome: 'done', undone } : { id, outcome: 'interrupted' })
    if (isUsed) await lines.append(JSON.stringify({ opened: now() } satisfies z.infer<typeof Opening>))
  }

  // Counted on first use, and again after a revert.
  let counted: Promise<UndoneCounts> | undefined

  async function countUndone(): Promise<UndoneCounts> {
    const counts = new UndoneCounts()
    for await (const line of linesBackward(path)) {
      if (!line.includes('"outcome":"done"') || !line.includes('"undone":')) continue
      const conclusion = Conclusion.safeParse(parse(line))
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
      await lines.append(JSON.stringify(intent))
      return {
        done: (after) => conclude({ id, outcome: 'done', after, undone }),
        failed: () => conclude({ id, outcome: 'failed' }),
      }
    },
    async record(mutation) {
      await recovered
      await lines.append(JSON.stringify(entryOf(mutation)))
    },
    async newest(limit) {
      await recovered
      await lines.flush()
      const conclusions = new Map<string, Conclusion>()
      const entries: z.infer<typeof AuditEntry>[] = []
      for await (const line of linesBackward(path)) {
        if (entries.length === limit) break
        const value = parse(line)
        const conclusion = Conclusion.safeParse(value)
        const entry = AuditEntry.safeParse(value)
        if (conclusion.success) conclusions.set(conclusion.data.id, conclusion.data)
        else if (entry.success) entries.push(withOutcome(entry.data, Intent.safeParse(value).data, conclusions))
      }
      return entries
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

function withOutcome(
  entry: z.infer<typeof AuditEntry>,
  intent: z.infer<typeof Intent> | undefined,
  conclusions: ReadonlyMap<string, Conclusion>,
): z.infer<typeof AuditEntry> {
  if (!intent) return { ...entry, outcome: 'done' }
  const conclusion = conclusions.get(intent.id)
  return { ...entry, after: conclusion?.after ?? entry.after, outcome: conclusion?.outcome ?? 'pending' }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
