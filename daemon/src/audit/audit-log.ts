import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { z } from 'zod'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { AuditEntry } from '@svc/shared/wire/daemon/daemon-audit.api.ts'
import { lineAppender } from '../files/append-lines.ts'
import type { Disk } from '../files/disk.ts'
import { linesBackward } from '../files/read-backward.ts'
import { actorId, type Actor } from '../entry/actor.ts'
import { Evidence } from './evidence.ts'

/** What is done to which file. Never what it says. */
export type Deed = {
  by: Actor
  tool: string
  path: string
  /** Where a moved file or folder is then. */
  to?: string | undefined
  before?: string | undefined
  after?: string | undefined
}

/** An entry that is durable before its change. It is settled when the outcome is known. */
export type AuditIntent = { done(after?: string): void; failed(): void }

/** The append-only record of changes of one vault. */
export type AuditLog = {
  /** Resolves when the entry is on disk: only then the change begins. */
  intend(deed: Deed, evidence: Evidence): Promise<AuditIntent>
  /** Records something that is over, such as an edit that changed nothing. Resolves when the entry is on disk. */
  record(deed: Deed): Promise<void>
  /** The newest entries, newest first. */
  newest(limit: number): Promise<z.infer<typeof AuditEntry>[]>
  /** Resolves when what was recorded so far is written. */
  close(): Promise<void>
}

const Intent = AuditEntry.omit({ outcome: true }).extend({ id: z.string(), evidence: Evidence })
const Settlement = z.object({
  id: z.string(),
  outcome: z.enum(['done', 'failed', 'interrupted']),
  after: z.string().optional(),
})
const Opening = z.object({ opened: z.string() })
type Settlement = z.infer<typeof Settlement>

type Options = {
  folder: string
  vaultId: string
  disk: Disk
  clock: Clock
  log: Log
  /** True when the vault shows that a change was made. */
  isMade(evidence: Evidence): Promise<boolean>
}

/**
 * Opens the record of a vault: one JSON object a line. An entry is an intent, written before the change, and a
 * settlement, written after it. The intents that a kill left open are settled here by what the vault shows.
 */
export function auditLog({ folder, vaultId, disk, clock, log, isMade }: Options): AuditLog {
  const path = join(folder, `${vaultId}.jsonl`)
  const lines = lineAppender({ path, disk })
  const now = () => clock.now().toISOString()
  const recovered = recover().catch((error: unknown) => {
    log.error({ err: error, vault: vaultId }, 'audit entries of an earlier run could not be settled')
  })

  async function recover(): Promise<void> {
    const settled = new Set<string>()
    const open: z.infer<typeof Intent>[] = []
    let isUsed = false
    for await (const line of linesBackward(path)) {
      const value = parse(line)
      if (Opening.safeParse(value).success) break
      if (value !== undefined) isUsed = true
      const settlement = Settlement.safeParse(value)
      const intent = Intent.safeParse(value)
      if (settlement.success) settled.add(settlement.data.id)
      else if (intent.success && !settled.has(intent.data.id)) open.unshift(intent.data)
    }
    for (const { id, evidence } of open) settle({ id, outcome: (await isMade(evidence)) ? 'done' : 'interrupted' })
    if (isUsed) await lines.append(JSON.stringify({ opened: now() } satisfies z.infer<typeof Opening>))
  }

  function settle(settlement: Settlement): void {
    lines.appendLater(JSON.stringify(settlement))
  }

  const entryOf = ({ by, tool, path: file, to, before, after }: Deed) => {
    const client = by.kind === 'mcp_client' ? by.client : by.kind === 'person' ? by.name : undefined
    const { person, integration } = by.kind === 'mcp_client' ? by : {}
    return { at: now(), actor: actorId(by), client, person, integration, tool, path: file, to, before, after }
  }

  return {
    async intend(deed, evidence) {
      await recovered
      const id = randomBytes(9).toString('hex')
      await lines.append(JSON.stringify({ ...entryOf(deed), id, evidence } satisfies z.infer<typeof Intent>))
      return {
        done: (after) => settle({ id, outcome: 'done', after }),
        failed: () => settle({ id, outcome: 'failed' }),
      }
    },
    async record(deed) {
      await recovered
      await lines.append(JSON.stringify(entryOf(deed)))
    },
    async newest(limit) {
      await recovered
      await lines.settle()
      const settlements = new Map<string, Settlement>()
      const entries: z.infer<typeof AuditEntry>[] = []
      for await (const line of linesBackward(path)) {
        if (entries.length === limit) break
        const value = parse(line)
        const settlement = Settlement.safeParse(value)
        const entry = AuditEntry.safeParse(value)
        if (settlement.success) settlements.set(settlement.data.id, settlement.data)
        else if (entry.success) entries.push(withOutcome(entry.data, Intent.safeParse(value).data, settlements))
      }
      return entries
    },
    async close() {
      await recovered
      await lines.settle()
    },
  }
}

function withOutcome(
  entry: z.infer<typeof AuditEntry>,
  intent: z.infer<typeof Intent> | undefined,
  settlements: ReadonlyMap<string, Settlement>,
): z.infer<typeof AuditEntry> {
  if (!intent) return { ...entry, outcome: 'done' }
  const settlement = settlements.get(intent.id)
  return { ...entry, after: settlement?.after ?? entry.after, outcome: settlement?.outcome ?? 'pending' }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
