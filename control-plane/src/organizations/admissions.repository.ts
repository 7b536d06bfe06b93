import { sql } from 'kysely'
import type { Clock } from '@svc/shared/kit/clock.ts'
import { newId } from '@svc/shared/wire/new-id.ts'
import type { Db } from '../db/database.ts'
import { isLiving } from '../db/is-living.ts'
import type { AdmissionState } from '../db/tables/organizations.tables.ts'
import { mailDomain } from './public-mail-domains.ts'

type Person = { id: string; email: string }

/** Mail domains that organizations admit, and the decision about each person. */
export function admissionsRepository(db: Db, clock: Clock) {
  return {
    /** The organization that holds a domain. */
    findDomain: (domain: string) =>
      db.selectFrom('auto_admit_domains').selectAll().where('domain', '=', domain).executeTakeFirst(),

    /** Binds a domain, replacing the organization's own one; false when another organization holds it. */
    bind: ({ orgId, domain, userId }: { orgId: string; domain: string; userId: string }): Promise<boolean> =>
      db
        .transaction()
        .execute(async (trx) => {
          await trx
            .deleteFrom('auto_admit_domains')
            .where('organization_id', '=', orgId)
            .where('domain', '<>', domain)
            .execute()
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
          return true
        })
        .catch((error: unknown) => {
          if (error instanceof TakenDomain) return false
          throw error
        }),

    unbind: async (orgId: string): Promise<void> => {
      await db.deleteFrom('auto_admit_domains').where('organization_id', '=', orgId).execute()
    },

    /** Removes a domain from one exact holder. */
    displace: async (domain: string, holder: string): Promise<void> => {
      await db
        .deleteFrom('auto_admit_domains')
        .where('domain', '=', domain)
        .where('organization_id', '=', holder)
        .execute()
    },

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
        if (noted !== undefined && state === 'admitted')
          await insertMember(trx, { orgId, userId: id, createdAt: decided_at })
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
    listOffers: ({ id, email }: Person) =>
      db
        .selectFrom('admissions')
        .innerJoin('organization', 'organization.id', 'admissions.organization_id')
        .innerJoin('auto_admit_domains', 'auto_admit_domains.organization_id', 'organization.id')
        .select(['organization.id', 'organization.slug', 'organization.name', 'auto_admit_domains.domain'])
        .where('admissions.user_id', '=', id)
        .where('admissions.email', '=', email)
        .where('admissions.state', '=', 'offered')
        .where('auto_admit_domains.domain', '=', mailDomain(email))
        .where(isNotRemoved({ id, email }, 'organization.id'))
        .where(isLiving('organization.id'))
        .execute(),

    /** Answers one of these offers; false when there is none. */
    answerOffer: ({ orgId, person, accept }: { orgId: string; person: Person; accept: boolean }): Promise<boolean> =>
      db.transaction().execute(async (trx) => {
        const decided_at = clock.now()
        const { numUpdatedRows } = await trx
          .updateTable('admissions')
          .from('auto_admit_domains')
          .set({ state: accept ? 'admitted' : 'declined', decided_at })
          .whereRef('auto_admit_domains.organization_id', '=', 'admissions.organization_id')
          .where('auto_admit_domains.domain', '=', mailDomain(person.email))
          .where('admissions.organization_id', '=', orgId)
          .where('admissions.user_id', '=', person.id)
          .where('admissions.email', '=', person.email)
          .where('admissions.state', '=', 'offered')
          .where(isNotRemoved(person, 'admissions.organization_id'))
          .where(isLiving('admissions.organization_id'))
          .executeTakeFirst()
        if (numUpdatedRows !== 1n) return false
        if (accept) await insertMember(trx, { orgId, userId: person.id, createdAt: decided_at })
        return true
      }),

    /** Every bound domain, for system admins. */
    listDomains: async (): Promise<string[]> => {
      const rows = await db.selectFrom('auto_admit_domains').select('domain').orderBy('domain').execute()
      return rows.map(({ domain }) => domain)
    },
  }
}

// An offer may be older than the removal, and of another address of the person.
const isNotRemoved = ({ id, email }: Person, organization: string) => sql<boolean>`not exists (
  select from admissions as removal
  where removal.organization_id = ${sql.ref(organization)} and removal.state = 'removed'
    and (removal.user_id = ${id} or removal.email = ${email}))`

class TakenDomain extends Error {}

async function insertMember(trx: Db, member: { orgId: string; userId: string; createdAt: Date }): Promise<void> {
  const { orgId, userId, createdAt } = member
  await trx
    .insertInto('member')
    .values({ id: newId('mem_'), organizationId: orgId, userId, role: 'member', createdAt })
    .onConflict((row) => row.columns(['organizationId', 'userId']).doNothing())
    .execute()
}

export type AdmissionsRepository = ReturnType<typeof admissionsRepository>
