import { join } from 'node:path'
import type { z } from 'zod'
import type { Clock } from '@svc/shared/kit/clock.ts'
import { AuditEntry } from '@svc/shared/wire/daemon.api.ts'
import { withFileFailures } from '../files/fs-failure.ts'
import { openToAppend, readOwnFile } from '../files/regular-file.ts'
import { actorId, type Actor } from './actor.ts'

/** What was done to which file. Never what it says. */
export type Deed = { by: Actor; tool: string; path: string; before?: string | undefined; after?: string | undefined }

/** The append-only record of changes of one vault. */
export type AuditLog = {
  /** Resolves when the entry is on disk. */
  record(deed: Deed): Promise<void>
  /** The newest entries, newest first. */
  newest(limit: number): Promise<z.infer<typeof AuditEntry>[]>
}

/** Opens the record of a vault: one JSON object a line. */
export function auditLog(options: { folder: string; vaultId: string; clock: Clock }): AuditLog {
  const path = join(options.folder, `${options.vaultId}.jsonl`)
  let tail = Promise.resolve()

  async function append(entry: z.infer<typeof AuditEntry>): Promise<void> {
    const handle = await openToAppend(path)
    try {
      const { size } = await handle.stat()
      const { buffer } = size > 0 ? await handle.read(Buffer.alloc(1), 0, 1, size - 1) : { buffer: Buffer.from('\n') }
      // A crash in the middle of a line must not swallow the next one.
      const start = buffer[0] === 0x0a ? '' : '\n'
      await handle.writeFile(`${start}${JSON.stringify(entry)}\n`)
      await handle.datasync()
    } finally {
      await handle.close()
    }
  }

  return {
    record({ by, tool, path: file, before, after }) {
      const client = by.kind === 'mcp_client' ? by.client : by.kind === 'person' ? by.name : undefined
      const at = options.clock.now().toISOString()
      const entry = { at, actor: actorId(by), client, tool, path: file, before, after }
      const done = tail.then(() => withFileFailures(() => append(entry)))
      tail = done.catch(() => {})
      return done
    },
    async newest(limit) {
      const text = (await readOwnFile(path)) ?? ''
      const entries = []
      for (const line of text.split('\n').toReversed()) {
        const entry = AuditEntry.safeParse(parseLine(line))
        if (entry.success) entries.push(entry.data)
        if (entries.length === limit) break
      }
      return entries
    },
  }
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
