import type { FastifyReply } from 'fastify'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Config } from '../config.ts'
import type { Db } from '../db/database.ts'
import type { Person } from '../http/guards.ts'
import type { MailQueue } from '../mail/mail-queue.ts'
import { admissionsRepository, type AdmissionsDeps } from './admissions.repository.ts'
import { createAdmitByDomain, createEnableAutoAdmit, type ResolveText } from './auto-admit.ts'
import {
  checkInvitation,
  createAcceptInvitation,
  createCopyInvitationLink,
  createSendInvitation,
  openInvitation,
} from './invitation-secret.ts'
import { invitationsRoutes, type InvitationsRouteDeps } from './invitations.routes.ts'
import { invitationsRepository } from './invitations.repository.ts'
import { listOrganizations } from './list-organizations.ts'
import { organizationChangesRepository } from './organization-changes.repository.ts'
import { organizationsRepository } from './organizations.repository.ts'
import { organizationsRoutes } from './organizations.routes.ts'
import { removedAddressesRepository } from './removed-addresses.repository.ts'

type Deps = {
  config: Pick<Config, 'baseUrl' | 'operatorOrg' | 'authSecret' | 'authSecretPrevious'>
  db: Db
  clock: Clock
  mails: MailQueue
  resolveText: ResolveText
  recordAudit: AdmissionsDeps['recordAudit']
}

type Proof = { verifyAddress(person: { id: string; email: string }): Promise<void> }

type RouteDeps = Omit<InvitationsRouteDeps, 'open' | 'copyLink'> & {
  /** Gives the session of a person who gained rights a new secret. */
  renewSession(sessionId: string, reply: FastifyReply): Promise<void>
}

export type Organizations = ReturnType<typeof createOrganizations>

/** Organizations, their members, invitations and admission by mail domain. */
export function createOrganizations({ config, db, clock, mails, resolveText, recordAudit }: Deps) {
  const { baseUrl, operatorOrg, authSecret, authSecretPrevious } = config
  const records = organizationsRepository(db, clock)
  const admissions = admissionsRepository({ db, clock, recordAudit })
  const invitations = invitationsRepository(db, clock)
  const removedAddresses = removedAddressesRepository({ db, clock, authSecret, authSecretPrevious })

  return {
    /** For the domain that creates and deletes organizations. */
    records,
    find: records.find,
    exists: async (orgId: string): Promise<boolean> => (await records.find(orgId)) !== undefined,
    findMembership: records.findMembership,
    findMember: records.findMember,
    changes: organizationChangesRepository(db),
    listMemberships: records.listMemberships,
    lock: records.lock,
    list: (userId: string) => listOrganizations(records, userId),
    findOrganizationOfInvitation: invitations.findOrganizationOf,
    sendInvitation: createSendInvitation({ invitations, mails, baseUrl }),
    checkInvitation:
      ({ verifyAddress }: Proof) =>
      (answer: { invitationId: string; token: string; person: Person }) =>
        checkInvitation({ invitations, verifyAddress }, answer),
    acceptInvitation: createAcceptInvitation({ invitations, admissions, removedAddresses }),
    admitByDomain: createAdmitByDomain({ admissions, removedAddresses }),
    /** Lets removals outlive an account, in the transaction that deletes it. */
    keepRemovals: removedAddresses.keep,
    deleteExpired: removedAddresses.deleteExpired,
    listOffers: async (person: Person) => {
      const offers = await admissions.listOffers(person)
      return offers.map(({ domain, ...organization }) => ({ organization, domain }))
    },

    routes: ({ guards, renewSession, ...deps }: RouteDeps) => [
      invitationsRoutes({
        guards,
        open: (opening) => openInvitation(invitations, opening),
        copyLink: createCopyInvitationLink({ invitations, baseUrl }),
        ...deps,
      }),
      organizationsRoutes({
        guards,
        admissions,
        enableAutoAdmit: createEnableAutoAdmit({ admissions, resolveText }),
        operatorOrg,
        renewSession,
      }),
    ],
  }
}
