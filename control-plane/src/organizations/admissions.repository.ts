import { sql } from 'kysely'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { AuditChain, AuditRecord } from '@svc/shared/wire/audit.api.ts'
import { newId } from '@svc/shared/wire/new-id.ts'
import type { Db } from '../db/database.ts'
import { isLiving } from '../db/is-living.ts'
import type { AdmissionState } from '../db/tables/organizations.tables.ts'
import { isPublicMailDomain, mailDomain } from './public-mail-domains.ts'

type Person = { id: string; email: string }
export type AdmissionsDeps = {
  db: Db
  clock: Clock
  /** Appends to a chain of the audit, in the transaction of the change. */
  recordAudit(trx: Db, chain: AuditChain, record: Omit<AuditRecord, 'at'>): Promise<void>
}
type Change = Pick<AuditRecord, 'actor' | 'role' | 'subject'> & {
  event: 'auto_admit_on' | 'auto_admit_off' | 'domain_lost' | 'member_admitted'
  orgId: string
}

/** The actor where the DNS records of a domain decided. */
const DNS = { kind: 'system', id: 'dns' } as const
const user = (id: string) => ({ kind: 'user', id }) as const

/** Mail domains that organizations admit, and the decision about each person. Every change is audited. */
export function admissionsRepository({ db, clock, recordAudit }: AdmissionsDeps) {
  const record = (trx: Db, { event, orgId, ...about }: Change) =>
    recordAudit(trx, orgId, { event: `organization.${event}`, orgId, outcome: 'done', ...about })

  const insertMember = async (trx: Db, { orgId, userId }: { orgId: string; userId: string }): Promise<void> => {
    const inserted = await trx
      .insertInto('member')
      .values({ id: newId('mem_'), organizationId: orgId, userId, role: 'member', createdAt: clock.now() })
      .onConflict((row) => row.columns(['organizationId', 'userId']).doNothing())
      .returning('role')
      .executeTakeFirst()
    if (inserted !== undefined)
      await record(trx, { event: 'member_admitted', orgId, actor: user(userId), subject: userId, role: inserted.role })
  }

  /** Lets two admins who set the domain of one organization at once do so one after the other. */
  const lock = (trx: Db, orgId: string) =>
    trx.selectFrom('organization').select('id').where('id', '=', orgId).forNoKeyUpdate().execute()

  /** Deletes a domain that an organization holds, whichever it is or exactly this one; false when there is none. */
  const deleteDomain = async (trx: Db, orgId: string, domain?: string): Promise<boolean> => {
    const { numDeletedRows } = await trx
      .deleteFrom('auto_admit_domains')
      .where('organization_id', '=', orgId)
      .$if(domain !== undefined, (query) => query.where('domain', '=', domain ?? ''))
      .executeTakeFirst()
    return numDeletedRows > 0n
  }

  return {
    /** The organization that holds a domain. */
    findDomain: (domain: string) =>
      db.selectFrom('auto_admit_domains').selectAll().where('domain', '=', domain).executeTakeFirst(),

    /** Binds a domain, replacing the organization's own one; false when another organization holds it. */
    bind: ({ orgId, domain, userId }: { orgId: string; domain: string; userId: string }): Promise<boolean> =>
      db
        .transaction()
        .execute(async (trx) => {
          await lock(trx, orgId)
          const held = await trx
            .selectFrom('auto_admit_domains')
            .select('domain')
            .where('organization_id', '=', orgId)
            .executeTakeFirst()
          if (held?.domain === domain) return true
          await deleteDomain(trx, orgId)
          const bound = await trx
            .insertInto('auto_admit_domains')
            .values({ domain, organization_id: orgId, claimed_by: userId, claimed_at: clock.now() })
            .onConflict((row) =>
              row
                .column('domain')
                .doUpdateSet({ organization_id: orgId })
                .where('auto_admit_domains.organization_id', '=', orgId),
            )
            .returning('domain')
            .executeTakeFirst()
          if (bound === undefined) throw new TakenDomain()
          await record(trx, { event: 'auto_admit_on', orgId, actor: user(userId) })
          return true
        })
        .catch((error: unknown) => {
          if (error instanceof TakenDomain) return false
          throw error
        }),

    unbind: (orgId: string, userId: string): Promise<void> =>
      db.transaction().execute(async (trx) => {
        await lock(trx, orgId)
        if (await deleteDomain(trx, orgId)) await record(trx, { event: 'auto_admit_off', orgId, actor: user(userId) })
      }),

    /** Removes a domain from one exact holder, whose audit does not tell who claimed it. */
    displace: (domain: string, holder: string): Promise<void> =>
      db.transaction().execute(async (trx) => {
        if (await deleteDomain(trx, holder, domain))
          await record(trx, { event: 'domain_lost', orgId: holder, actor: DNS })
      }),

    /**
     * The organization that admits a person's domain and has neither the person as a member nor a decision about them.
     * A removal also counts for other addresses of the person and for other accounts of the address.
     */
    findUndecided: ({ id, email }: Person, domain: string) =>
      db
        .selectFrom('auto_admit_domains')
        .innerJoin('organization', 'organization.id', 'auto_admit_domains.organization_id')
        .select(['organization.id', 'organization.daemon_mode as daemonMode'])
        .where('auto_admit_domains.domain', '=', domain)
        .where((row) =>
          row.not(
            row.exists(
              row
                .selectFrom('member')
                .select('member.id')
                .whereRef('member.organizationId', '=', 'organization.id')
                .where('member.userId', '=', id),
            ),
          ),
        )
        .where((row) =>
          row.not(
            row.exists(
              row
                .selectFrom('admissions')
                .select('state')
                .whereRef('organization_id', '=', 'organization.id')
                .where(({ eb, and, or }) => {
                  const [samePerson, sameAddress] = [eb('user_id', '=', id), eb('email', '=', email)]
                  return or([
                    and([samePerson, sameAddress]),
                    and([or([samePerson, sameAddress]), eb('state', '=', 'removed')]),
                  ])
                }),
            ),
          ),
        )
        .where((row) =>
          row.not(
            row.exists(
              row
                .selectFrom('organization_deletions')
                .select('operation_id')
                .whereRef('organization_id', '=', 'organization.id'),
            ),
          ),
        )
        .executeTakeFirst(),

    /** Records a first decision and, for `admitted`, adds the member. Repeating it changes nothing. */
    decide: (orgId: string, { id, email }: Person, state: AdmissionState): Promise<void> =>
      db.transaction().execute(async (trx) => {
        const decided_at = clock.now()
        const noted = await trx
          .insertInto('admissions')
          .values({ organization_id: orgId, user_id: id, email, state, decided_at })
          .onConflict((row) => row.columns(['organization_id', 'user_id', 'email']).doNothing())
          .returning('state')
          .executeTakeFirst()
        if (noted !== undefined && state === 'admitted') await insertMember(trx, { orgId, userId: id })
      }),

    /** Forgets that an organization removed a person, who is a member again, in the caller's transaction. */
    updateReadmitted: async (trx: Db, { orgId, userId }: { orgId: string; userId: string }): Promise<void> => {
      await trx
        .updateTable('admissions')
        .set({ state: 'admitted', decided_at: clock.now() })
        .where('organization_id', '=', orgId)
        .where('user_id', '=', userId)
        .where('state', '=', 'removed')
        .execute()
    },

    /** What a person is offered, by organizations that still admit the person's domain. */
    listOffers: async ({ id, email }: Person) => {
      const domain = mailDomain(email)
      if (isPublicMailDomain(domain)) return []
      return db
        .selectFrom('admissions')
        .innerJoin('organization', 'organization.id', 'admissions.organization_id')
        .innerJoin('auto_admit_domains', 'auto_admit_domains.organization_id', 'organization.id')
        .select(['organization.id', 'organization.slug', 'organization.name', 'auto_admit_domains.domain'])
        .where('admissions.user_id', '=', id)
        .where('admissions.email', '=', email)
        .where('admissions.state', '=', 'offered')
        .where('auto_admit_domains.domain', '=', domain)
        .where(isNotRemoved({ id, email }, 'organization.id'))
        .where(isLiving('organization.id'))
        .execute()
    },

    /** Answers one of these offers; false when there is none. */
    answerOffer: async ({ orgId, person, accept }: { orgId: string; person: Person; accept: boolean }) => {
      const domain = mailDomain(person.email)
      if (isPublicMailDomain(domain)) return false
      return db.transaction().execute(async (trx) => {
        const decided_at = clock.now()
        const { numUpdatedRows } = await trx
          .updateTable('admissions')
          .from('auto_admit_domains')
          .set({ state: accept ? 'admitted' : 'declined', decided_at })
          .whereRef('auto_admit_domains.organization_id', '=', 'admissions.organization_id')
          .where('auto_admit_domains.domain', '=', domain)
          .where('admissions.organization_id', '=', orgId)
          .where('admissions.user_id', '=', person.id)
          .where('admissions.email', '=', person.email)
          .where('admissions.state', '=', 'offered')
          .where(isNotRemoved(person, 'admissions.organization_id'))
          .where(isLiving('admissions.organization_id'))
          .executeTakeFirst()
        if (numUpdatedRows !== 1n) return false
        if (accept) await insertMember(trx, { orgId, userId: person.id })
        return true
      })
    },
  }
}

// An offer may be older than the removal, and of another address of the person.
const isNotRemoved = ({ id, email }: Person, organization: string) => sql<boolean>`not exists (
  select from admissions as removal
  where removal.organization_id = ${sql.ref(organization)} and removal.state = 'removed'
    and (removal.user_id = ${id} or removal.email = ${email}))`

class TakenDomain extends Error {}

export type AdmissionsRepository = ReturnType<typeof admissionsRepository>
