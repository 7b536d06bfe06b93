import type { FastifyReply } from 'fastify'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Config } from '../config.ts'
import type { Db } from '../db/database.ts'
import type { Guards, Person } from '../http/guards.ts'
import type { RateLimit } from '../http/rate-limit.ts'
import type { MailSender } from '../mail/mail.ts'
import { admissionsRepository } from './admissions.repository.ts'
import { admitByDomain, enableAutoAdmit, type ResolveText } from './auto-admit.ts'
import { beginDeletion, deleteOrganization, finishDeletion, type DeletionDeps } from '../organization-lifecycle/delete-organization.ts'
import { checkInvitation, createSendInvitation } from './invitation-secret.ts'
import { invitationsRepository } from './invitations.repository.ts'
import { listOrganizations } from './list-organizations.ts'
import { organizationDeletionsRepository } from '../organization-lifecycle/organization-deletions.repository.ts'
import { organizationsRepository } from './organizations.repository.ts'
import { organizationsRoutes } from './organizations.routes.ts'
import { createHosted, createSelfHosted, type HostedDeps } from '../organization-lifecycle/provision-organization.ts'
import { provisioningRoutes } from '../organization-lifecycle/provisioning.routes.ts'

type Settings = Pick<Config, 'baseUrl' | 'environment' | 'provisioningCode' | 'operatorOrg'>
type Deps = {
  config: Settings
  db: Db
  clock: Clock
  mail: MailSender
  resolveText: ResolveText
  issueKey(trx: Db, orgId: string): Promise<{ apiKey: string; daemonId: string }>
  /** Image of new hosted daemons; undefined where there are none. */
  image: string | undefined
  recordEvent(orgId: string, kind: 'entitled'): Promise<void>
  deleteDaemonRow(trx: Db, orgId: string): Promise<void>
} & Pick<HostedDeps, 'grant' | 'installLease' | 'wake'> &
  Pick<DeletionDeps, 'hasPaymentHistory' | 'runDeletion' | 'markDaemon' | 'revoke'>

type RouteDeps = {
  guards: Guards
  rateLimit: RateLimit
  /** Gives the session of somebody who gained rights a new secret. */
  renewSession(sessionId: string, reply: FastifyReply): Promise<void>
}

export type Organizations = ReturnType<typeof createOrganizations>

/** Organizations, their members, invitations and ends. */
export function createOrganizations({ config, db, clock, mail, ...deps }: Deps) {
  const { baseUrl, environment, provisioningCode, operatorOrg } = config
  const organizations = organizationsRepository(db, clock)
  const admissions = admissionsRepository(db, clock)
  const invitations = invitationsRepository(db, clock)
  const deletions = organizationDeletionsRepository(db, clock)
  const shared = { ...deps, db, clock, organizations, deletions, operatorOrg }
  const relayUrlOf = (orgId: string) => `${baseUrl}/t/${orgId}`

  return {
    organizations,
    admissions,
    findOrganizationOfInvitation: invitations.findOrganizationOf,
    sendInvitation: createSendInvitation({ invitations, mail, baseUrl }),
    checkInvitation: (answer: { invitationId: string; token: string; person: Person }) =>
      checkInvitation(invitations, answer),
    admitByDomain: admitByDomain(admissions),
    list: (userId: string) => listOrganizations(organizations, userId),
    listOffers: async (person: Person) => {
      const offers = await admissions.listOffers(person)
      return offers.map(({ domain, ...organization }) => ({ organization, domain }))
    },
    beginDeletion: beginDeletion(shared),
    finishDeletion: finishDeletion(shared),

    routes: ({ guards, rateLimit, renewSession }: RouteDeps) => [
      organizationsRoutes({
        guards,
        admissions,
        enableAutoAdmit: enableAutoAdmit({ admissions, resolveText: deps.resolveText }),
        deleteOrganization: deleteOrganization(shared),
        operatorOrg,
        renewSession,
      }),
      provisioningRoutes({
        guards,
        rateLimit,
        createSelfHosted: createSelfHosted({ db, organizations, issueKey: deps.issueKey, relayUrlOf }),
        createHosted: createHosted({ ...shared, environment, provisioningCode, recordEntitled: (orgId) => deps.recordEvent(orgId, 'entitled') }), // prettier-ignore
      }),
    ],
  }
}
