import type { FastifyReply } from 'fastify'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Config } from '../config.ts'
import type { Db } from '../db/database.ts'
import type { Guards, Person } from '../http/guards.ts'
import type { MailSender } from '../mail/mail.ts'
import { admissionsRepository } from './admissions.repository.ts'
import { admitByDomain, enableAutoAdmit, type ResolveText } from './auto-admit.ts'
import { checkInvitation, createSendInvitation } from './invitation-secret.ts'
import { invitationsRepository } from './invitations.repository.ts'
import { listOrganizations } from './list-organizations.ts'
import { organizationsRepository } from './organizations.repository.ts'
import { organizationsRoutes } from './organizations.routes.ts'

type Deps = {
  config: Pick<Config, 'baseUrl' | 'operatorOrg'>
  db: Db
  clock: Clock
  mail: MailSender
  resolveText: ResolveText
}

type RouteDeps = {
  guards: Guards
  /** Gives the session of somebody who gained rights a new secret. */
  renewSession(sessionId: string, reply: FastifyReply): Promise<void>
}

export type Organizations = ReturnType<typeof createOrganizations>

/** Organizations, their members, invitations and admission by mail domain. */
export function createOrganizations({ config: { baseUrl, operatorOrg }, db, clock, mail, resolveText }: Deps) {
  const records = organizationsRepository(db, clock)
  const admissions = admissionsRepository(db, clock)
  const invitations = invitationsRepository(db, clock)

  return {
    /** For the domain that creates and deletes organizations. */
    records,
    find: records.find,
    findMembership: records.findMembership,
    findMember: records.findMember,
    lock: records.lock,
    list: (userId: string) => listOrganizations(records, userId),
    findOrganizationOfInvitation: invitations.findOrganizationOf,
    sendInvitation: createSendInvitation({ invitations, mail, baseUrl }),
    checkInvitation: (answer: { invitationId: string; token: string; person: Person }) =>
      checkInvitation(invitations, answer),
    admitByDomain: admitByDomain(admissions),
    listOffers: async (person: Person) => {
      const offers = await admissions.listOffers(person)
      return offers.map(({ domain, ...organization }) => ({ organization, domain }))
    },

    routes: ({ guards, renewSession }: RouteDeps) => [
      organizationsRoutes({
        guards,
        admissions,
        enableAutoAdmit: enableAutoAdmit({ admissions, resolveText }),
        operatorOrg,
        renewSession,
      }),
    ],
  }
}
