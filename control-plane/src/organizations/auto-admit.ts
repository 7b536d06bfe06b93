import { fail } from '@svc/shared/wire/errors.ts'
import type { Person } from '../http/guards.ts'
import type { AdmissionsRepository } from './admissions.repository.ts'
import type { RemovedAddressesRepository } from './removed-addresses.repository.ts'
import { isPublicMailDomain, mailDomain } from './public-mail-domains.ts'

/** TXT records of a name; empty when there are none or the resolver does not respond in time. */
export type ResolveText = (name: string) => Promise<string[]>

type AdmitDeps = { admissions: AdmissionsRepository; removedAddresses: Pick<RemovedAddressesRepository, 'has'> }
type Deps = { admissions: AdmissionsRepository; resolveText: ResolveText }

const PUBLIC_DOMAIN = 'This domain counts as one of a public mail service. Invite people instead.'

/** Name of the DNS record that proves a claim, and its text. */
const proofName = (domain: string): string => `_svc-admit.${domain}`
const proofText = (orgId: string): string => `svc-org=${orgId}`

/**
 * Binds the domain of the caller's own verified address. A domain that another organization holds is a conflict, unless
 * the domain's DNS names the caller's organization: then it replaces the unproven claim.
 */
export function createEnableAutoAdmit({ admissions, resolveText }: Deps) {
  return async (orgId: string, person: Person): Promise<{ enabled: true; domain: string }> => {
    if (!person.emailVerified)
      throw fail('forbidden', { reason: 'email_not_verified' }, { message: 'Confirm your own e-mail address first.' })
    const domain = mailDomain(person.email)
    if (isPublicMailDomain(domain)) throw fail('forbidden', { reason: 'public_domain' }, { message: PUBLIC_DOMAIN })

    const claim = { orgId, domain, userId: person.id }
    if (await admissions.bind(claim)) return { enabled: true, domain }

    const holder = (await admissions.findDomain(domain))?.organization_id
    const proofs = await resolveText(proofName(domain))
    if (!proofs.includes(proofText(orgId)) || (holder !== undefined && proofs.includes(proofText(holder))))
      throw fail('domain_conflict', { proof: { name: proofName(domain), text: proofText(orgId) } })
    if (holder !== undefined) await admissions.displace(domain, holder)
    if (!(await admissions.bind(claim))) throw fail('domain_conflict')
    return { enabled: true, domain }
  }
}

/**
 * Admits a person who signs in with a verified address, once for each address and organization. A removal is final, also
 * after the account was deleted; an invitation undoes it. A self-hosted
 * organization is only offered: entering it exposes the person's browser to somebody else's program.
 */
export function createAdmitByDomain({ admissions, removedAddresses }: AdmitDeps) {
  return async (person: Person): Promise<void> => {
    if (!person.emailVerified) return
    const domain = mailDomain(person.email)
    if (isPublicMailDomain(domain)) return

    const organization = await admissions.findUndecided(person, domain)
    if (organization === undefined) return
    if (await removedAddresses.has({ orgId: organization.id, email: person.email })) return
    const hosted = organization.daemonMode === 'cloud_hosted'
    await admissions.decide(organization.id, person, hosted ? 'admitted' : 'offered')
  }
}
