import type { Clock } from '@svc/shared/kit/clock.ts'
import { idBody } from '@svc/shared/wire/ids.ts'
import { newId } from '@svc/shared/wire/new-id.ts'
import type { AuditRecord } from '@svc/shared/wire/audit.api.ts'
import { auditRecordText } from '../audit/canonical-json.ts'
import { TERMINAL } from '../audit/audit-trail.ts'
import type { Db } from '../db/database.ts'

const NAME = 'System admins'

/** A short name that no person's organization can have: it contains a part of the id. */
const slugOf = (operatorOrg: string) => `system-admins-${idBody(operatorOrg).slice(0, 6)}`

type Claim = { tokenHash: string; userId: string; operatorOrg: string; actor: AuditRecord['actor'] }

export type SetupRepository = ReturnType<typeof setupRepository>

export function setupRepository(db: Db, clock: Clock) {
  const recordAudit = (trx: Db, record: Omit<AuditRecord, 'at'>) =>
    trx
      .insertInto('audit_entries')
      .values({ chain: 'platform', record: auditRecordText({ ...record, at: clock.now().toISOString() }) })
      .execute()

  return {
    /** True when the organization of the system admins has an admin. */
    hasAdmin: async (operatorOrg: string): Promise<boolean> => {
      const found = await db
        .selectFrom('member')
        .select('id')
        .where('organizationId', '=', operatorOrg)
        .where('role', '=', 'admin')
        .limit(1)
        .executeTakeFirst()
      return found !== undefined
    },

    /** The person with this confirmed address. */
    findConfirmedUser: async (email: string): Promise<string | undefined> => {
      const found = await db
        .selectFrom('user')
        .select('id')
        .where('email', '=', email.trim().toLowerCase())
        .where('emailVerified', '=', true)
        .executeTakeFirst()
      return found?.id
    },

    /** Makes this the only open link. */
    replaceLink: ({ tokenHash, operatorOrg }: { tokenHash: string; operatorOrg: string }) =>
      db.transaction().execute(async (trx) => {
        await recordAudit(trx, { event: 'system_admins.setup_link_minted', actor: TERMINAL, orgId: operatorOrg })
        await trx.deleteFrom('setup_links').execute()
        await trx.insertInto('setup_links').values({ token_hash: tokenHash, created_at: clock.now() }).execute()
      }),

    /** Consumes the link and makes the person the first system admin; false when the link is not open. */
    claim: ({ tokenHash, userId, operatorOrg, actor }: Claim) =>
      db.transaction().execute(async (trx) => {
        const link = await trx
          .deleteFrom('setup_links')
          .where('token_hash', '=', tokenHash)
          .returning('token_hash')
          .executeTakeFirst()
        if (link === undefined) return false

        const createdAt = clock.now()
        await trx
          .insertInto('organization')
          .values({
            id: operatorOrg,
            name: NAME,
            slug: slugOf(operatorOrg),
            logo: null,
            metadata: null,
            daemon_mode: null,
            createdAt,
          })
          .onConflict((row) => row.column('id').doNothing())
          .execute()
        await trx
          .insertInto('member')
          .values({ id: newId('mem_'), organizationId: operatorOrg, userId, role: 'admin', createdAt })
          .onConflict((row) => row.columns(['organizationId', 'userId']).doUpdateSet({ role: 'admin' }))
          .execute()
        await recordAudit(trx, {
          event: 'system_admins.setup_claimed',
          actor,
          orgId: operatorOrg,
          role: 'admin',
          subject: userId,
        })
        return true
      }),
  }
}
