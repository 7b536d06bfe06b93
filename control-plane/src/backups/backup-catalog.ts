import { z } from 'zod'
import type { Clock } from '@svc/shared/kit/clock.ts'
import { OrgId } from '@svc/shared/wire/ids.ts'
import { BACKUP_FORMAT, BackupId, BackupSummary, ChunkName } from '@svc/shared/wire/daemon/daemon-backups.api.ts'
import { MAX_CHUNK_BYTES } from '@svc/shared/wire/daemon/backup-frames.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { backupIdPrefix, operationPart } from './data-key.ts'
import type { ObjectStore } from './object-store.ts'

/** What the platform stores about a backup: enough to find its parts. Only the daemon can open their content. */
const Envelope = z.object({
  format: z.literal(BACKUP_FORMAT),
  backupId: BackupId,
  orgId: OrgId,
  summary: BackupSummary,
  chunks: z.array(ChunkName),
})
export type Envelope = z.infer<typeof Envelope>
/** `found` is called before the first object is deleted, and not when there is none. */
type DeleteAll = { orgId: string; found: () => Promise<void>; signal: AbortSignal }
/** `reinstalls`: when the daemon was reinstalled without a restore since. */
type Prune = { orgId: string; keep: number; reinstalls: readonly Date[]; signal: AbortSignal }
export type BackupCatalog = ReturnType<typeof createBackupCatalog>

const MAX_ENVELOPE_BYTES = 128 * 1024 * 1024
const MAX_PART_BYTES = MAX_CHUNK_BYTES + 1024
/** A chunk that no backup names may belong to a backup in progress, so it is kept for longer than a backup may take. */
const YOUNG_MS = 24 * 3_600_000
/** Chunks of an interrupted backup are reused for this long, which is less than they are kept. */
const REUSED_MS = 12 * 3_600_000

/**
 * The backups of organizations in a bucket: `<org>/chunks/<name>`, `<org>/manifests/<backup>/<part>`, and last
 * `<org>/backups/<backup>.json`. A backup without that last object does not exist.
 */
export function createBackupCatalog({ store, clock }: { store: ObjectStore; clock: Clock }) {
  const folder = (orgId: string, kind: 'chunks' | 'manifests' | 'backups') => `${orgId}/${kind}/`
  const envelopeName = (orgId: string, backupId: string) => `${folder(orgId, 'backups')}${backupId}.json`
  const partName = (orgId: string, backupId: string, part: number) =>
    `${folder(orgId, 'manifests')}${backupId}/${String(part).padStart(6, '0')}`

  const find = async (orgId: string, backupId: string, signal: AbortSignal): Promise<Envelope | undefined> => {
    const content = await store.find(envelopeName(orgId, backupId), MAX_ENVELOPE_BYTES, signal)
    if (content === undefined) return undefined
    const parsed = Envelope.safeParse(parseJson(content.toString('utf8')))
    if (!parsed.success || parsed.data.orgId !== orgId || parsed.data.backupId !== backupId)
      throw fail('backup_broken', { reason: 'EnvelopeInvalid' })
    return parsed.data
  }

  /** Ids of all backups, newest first. */
  const listIds = async (orgId: string, signal: AbortSignal): Promise<string[]> => {
    const ids: string[] = []
    const prefix = folder(orgId, 'backups')
    for await (const { name } of store.list(prefix, signal)) {
      const id = name.slice(prefix.length).replace(/\.json$/, '')
      if (BackupId.safeParse(id).success) ids.push(id)
    }
    return ids.sort().toReversed()
  }

  const listChunks = async (orgId: string, signal: AbortSignal) => {
    const prefix = folder(orgId, 'chunks')
    const found = new Map<string, Date>()
    for await (const { name, modifiedAt } of store.list(prefix, signal)) {
      const chunk = name.slice(prefix.length)
      if (ChunkName.safeParse(chunk).success) found.set(chunk, modifiedAt)
    }
    return found
  }

  const chunksOf = async (orgId: string, ids: readonly string[], signal: AbortSignal): Promise<Set<string>> => {
    const chunks = new Set<string>()
    for (const id of ids) for (const name of (await find(orgId, id, signal))?.chunks ?? []) chunks.add(name)
    return chunks
  }

  return {
    find,
    listIds,
    putChunk: (orgId: string, name: string, sealed: Buffer, signal: AbortSignal) =>
      store.put(folder(orgId, 'chunks') + name, sealed, signal),
    putPart: (backup: Pick<Envelope, 'orgId' | 'backupId'>, part: number, sealed: Buffer, signal: AbortSignal) =>
      store.put(partName(backup.orgId, backup.backupId, part), sealed, signal),
    /** Publishes a backup: from now on it exists. Everything that it names is stored already. */
    putEnvelope: (envelope: Envelope, signal: AbortSignal) =>
      store.put(envelopeName(envelope.orgId, envelope.backupId), Buffer.from(JSON.stringify(envelope)), signal),
    findChunk: (orgId: string, name: string, signal: AbortSignal) =>
      store.find(folder(orgId, 'chunks') + name, MAX_PART_BYTES, signal),
    findPart: (backup: Pick<Envelope, 'orgId' | 'backupId'>, part: number, signal: AbortSignal) =>
      store.find(partName(backup.orgId, backup.backupId, part), MAX_PART_BYTES, signal),

    /** Chunks that a new backup may reuse: those of existing backups and those recently sent by an interrupted one. */
    listReusable: async (orgId: string, signal: AbortSignal): Promise<string[]> => {
      const stored = await listChunks(orgId, signal)
      const used = await chunksOf(orgId, await listIds(orgId, signal), signal)
      const since = clock.now().getTime() - REUSED_MS
      return [...stored].filter(([name, at]) => used.has(name) || at.getTime() > since).map(([name]) => name)
    },

    /**
     * Deletes everything of an organization and returns the number of objects. Backups go before their parts, so that
     * none is found that cannot be restored.
     */
    deleteAll: async ({ orgId, found, signal }: DeleteAll): Promise<number> => {
      let count = 0
      for (const prefix of [folder(OrgId.parse(orgId), 'backups'), `${orgId}/`]) {
        const names = await Array.fromAsync(store.list(prefix, signal), ({ name }) => name)
        if (names.length === 0) continue
        if (count === 0) await found()
        await store.delete(names, signal)
        count += names.length
      }
      return count
    },

    /**
     * Deletes all but the newest backups, then the chunks that no backup needs. Those of one operation count as one: a
     * restore that fails again and again displaces no others. Keeps the last backup from before each reinstallation as
     * well: the later ones may be of an empty volume. Lists chunks before the backups that may name them and keeps young
     * ones, so that a backup in progress loses nothing.
     */
    prune: async ({ orgId, keep, reinstalls, signal }: Prune): Promise<void> => {
      const stored = await listChunks(orgId, signal)
      const ids = await listIds(orgId, signal)
      const lastBefore = reinstalls.map((at) => ids.find((id) => id < backupIdPrefix(at)))
      const newest = [...new Set(ids.map(operationPart))].slice(0, keep)
      const kept = ids.filter((id) => newest.includes(operationPart(id)) || lastBefore.includes(id))
      const used = await chunksOf(orgId, kept, signal)
      await store.delete(
        ids.filter((id) => !kept.includes(id)).map((id) => envelopeName(orgId, id)),
        signal,
      )
      const before = clock.now().getTime() - YOUNG_MS
      const unused = [...stored].filter(([name, at]) => !used.has(name) && at.getTime() < before)
      const manifests: string[] = []
      const prefix = folder(orgId, 'manifests')
      for await (const { name, modifiedAt } of store.list(prefix, signal))
        if (!kept.includes(name.slice(prefix.length).split('/')[0]!) && modifiedAt.getTime() < before)
          manifests.push(name)
      await store.delete([...unused.map(([name]) => folder(orgId, 'chunks') + name), ...manifests], signal)
    },
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
