import { sql } from 'kysely'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { AuditChain, AuditRecord } from '@svc/shared/wire/audit.api.ts'
import type { Db } from '../db/database.ts'
import type { Endorsement } from './audit-key.ts'
import { auditRecordText } from './canonical-json.ts'
import type { AuditHead, AuditRow, SignedHead } from './verify-chain.ts'

export type AuditRepository = ReturnType<typeof auditRepository>

/** The platform's own chain, for events outside any organization. */
export const PLATFORM: AuditChain = 'platform'

/**
 * Rows, checkpoints and retentions of the audit. Rows can only be inserted and read; the database refuses anything
 * else.
 */
export function auditRepository(db: Db, clock: Clock) {
  return {
    /** Appends to a chain; the database numbers the row and links it. */
    insert: async (chain: AuditChain, record: Omit<AuditRecord, 'at'>): Promise<void> => {
      const text = auditRecordText({ ...record, at: clock.now().toISOString() })
      await db.insertInto('audit_entries').values({ chain, record: text }).execute()
    },

    listChains: async (): Promise<AuditChain[]> => {
      const { rows } = await sql<{ chain: AuditChain }>`
        select distinct chain from (
          select chain from audit_entries union select chain from audit_checkpoints union select chain from audit_retentions
        ) chains order by chain`.execute(db)
      return rows.map(({ chain }) => chain)
    },

    /** Rows after a number, in order. */
    listAfter: async (chain: AuditChain, seq: number, limit: number): Promise<AuditRow[]> => {
      const rows = await db
        .selectFrom('audit_entries')
        .selectAll()
        .where('chain', '=', chain)
        .where('seq', '>', seq)
        .orderBy('seq')
        .limit(limit)
        .execute()
      return rows.map(toRow)
    },

    /** Rows before a number, newest first. */
    listBefore: async (chain: AuditChain, seq: number, limit: number): Promise<AuditRow[]> => {
      const rows = await db
        .selectFrom('audit_entries')
        .selectAll()
        .where('chain', '=', chain)
        .where('seq', '<', seq)
        .orderBy('seq', 'desc')
        .limit(limit)
        .execute()
      return rows.map(toRow)
    },

    /** Heads of chains that have grown since their last checkpoint. */
    listUnsigned: async (): Promise<(AuditHead & { chain: AuditChain })[]> => {
      const { rows } = await sql<AuditHead & { chain: AuditChain }>`
        select distinct on (chain) chain, seq, hash from audit_entries entries
        where seq > coalesce((select max(seq) from audit_checkpoints signed where signed.chain = entries.chain), 0)
        order by chain, seq desc`.execute(db)
      return rows
    },

    findHead: async (chain: AuditChain): Promise<AuditHead | undefined> =>
      db
        .selectFrom('audit_entries')
        .select(['seq', 'hash'])
        .where('chain', '=', chain)
        .orderBy('seq', 'desc')
        .limit(1)
        .executeTakeFirst(),

    insertCheckpoint: async (chain: AuditChain, head: SignedHead): Promise<void> => {
      const { keyId, ...rest } = head
      await db
        .insertInto('audit_checkpoints')
        .values({ chain, ...rest, key_id: keyId })
        .onConflict((row) => row.doNothing())
        .execute()
    },

    listCheckpoints: async (chain: AuditChain): Promise<SignedHead[]> => {
      const rows = await db
        .selectFrom('audit_checkpoints')
        .selectAll()
        .where('chain', '=', chain)
        .orderBy('seq')
        .execute()
      return rows.map(({ seq, hash, at, key_id, signature }) => ({ seq, hash, at, keyId: key_id, signature }))
    },

    /** The newest row that stands in for a removed prefix. */
    findRetention: async (chain: AuditChain): Promise<SignedHead | undefined> => {
      const row = await db
        .selectFrom('audit_retentions')
        .selectAll()
        .where('chain', '=', chain)
        .orderBy('through_seq', 'desc')
        .limit(1)
        .executeTakeFirst()
      return (
        row && {
          seq: row.through_seq,
          hash: row.through_hash,
          at: row.at,
          keyId: row.key_id,
          signature: row.signature,
        }
      )
    },

    /** The last row of the prefix before a time; never the newest row of a chain. */
    findLastBefore: async (chain: AuditChain, moment: Date): Promise<AuditHead | undefined> => {
      const { rows } = await sql<AuditHead>`
        select seq, hash from audit_entries entries where chain = ${chain}
          and seq < (select min(seq) from audit_entries later where later.chain = ${chain}
            and (later.record::jsonb ->> 'at')::timestamptz >= ${moment})
        order by seq desc limit 1`.execute(db)
      return rows[0]
    },

    /** Stores an earlier key; repeating it changes nothing. */
    insertEndorsement: async ({ keyId, publicKey, endorsedBy, signature }: Endorsement): Promise<void> => {
      await db
        .insertInto('audit_keys')
        .values({ key_id: keyId, public_key: publicKey, endorsed_by: endorsedBy, signature })
        .onConflict((row) => row.doNothing())
        .execute()
    },

    listEndorsements: async (): Promise<Endorsement[]> => {
      const rows = await db.selectFrom('audit_keys').selectAll().execute()
      return rows.map(({ key_id, public_key, endorsed_by, signature }) => {
        return { keyId: key_id, publicKey: public_key, endorsedBy: endorsed_by, signature }
      })
    },

    /** Stores the stand-in, then deletes the rows that it covers. Returns their number. */
    replacePrefix: async (chain: AuditChain, head: SignedHead): Promise<number> => {
      await db
        .insertInto('audit_retentions')
        .values({
          chain,
          through_seq: head.seq,
          through_hash: head.hash,
          at: head.at,
          key_id: head.keyId,
          signature: head.signature,
        })
        .onConflict((row) => row.doNothing())
        .execute()
      const { rows } = await sql<{ removed: number }>`select audit_prune(${chain}) as removed`.execute(db)
      return rows[0]?.removed ?? 0
    },
  }
}

function toRow(row: { seq: number; record: string; previous_hash: string; hash: string }): AuditRow {
  return { seq: row.seq, record: row.record, previousHash: row.previous_hash, hash: row.hash }
}
