import type { ColumnType, Generated } from 'kysely'

/** Hashes of what opens an invitation: the mailed secret, which proves the address, and a link that an admin copied. */
export type InvitationSecretsTable = { invitation_id: string; secret_hash: string; link_hash: Generated<string | null> }

/** Which organization admits people of a mail domain; a domain belongs to one at most. */
export type AutoAdmitDomainsTable = { domain: string; organization_id: string; claimed_by: string; claimed_at: Date }

export type AdmissionState = 'admitted' | 'offered' | 'declined' | 'removed'

/** The state of a person's admission by domain. A trigger writes `removed` when a member is removed. */
export type AdmissionsTable = {
  organization_id: string
  user_id: string
  email: string
  state: AdmissionState
  decided_at: Date
}

/** Addresses of deleted accounts that an organization does not admit by domain: keyed hashes. */
export type RemovedAddressesTable = { organization_id: string; address_hash: string; removed_at: Date }

/** Organizations that are being deleted. */
export type OrganizationDeletionsTable = {
  organization_id: string
  operation_id: string
  requested_by: string
  requested_at: Date
}

/** Limits set for one organization, in the format of the wire. */
export type OrganizationLimitsTable = {
  organization_id: string
  own: ColumnType<unknown, string, string>
  changed_at: Date
}

export type OrganizationsTables = {
  invitation_secrets: InvitationSecretsTable
  auto_admit_domains: AutoAdmitDomainsTable
  admissions: AdmissionsTable
  removed_addresses: RemovedAddressesTable
  organization_deletions: OrganizationDeletionsTable
  organization_limits: OrganizationLimitsTable
}
