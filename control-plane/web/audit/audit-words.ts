import type { AuditEntry } from '@svc/shared/wire/audit.api.ts'
import { actionNames } from '../daemons/action-names.ts'
import { stateName } from '../daemons/state-names.ts'

const events: Record<string, string> = {
  'organization.created': 'Made the organization',
  'organization.renamed': 'Renamed the organization',
  'organization.invitation_sent': 'Sent an invitation',
  'organization.invitation_link_copied': 'Made a link to an invitation',
  'organization.invitation_canceled': 'Took back an invitation',
  'organization.invitation_accepted': 'Accepted an invitation',
  'organization.invitation_rejected': 'Declined an invitation',
  'organization.member_removed': 'Removed a member',
  'organization.member_left': 'Left the organization',
  'organization.member_admitted': 'Joined by the domain of the e-mail',
  'organization.auto_admit_on': 'Turned admission by domain on',
  'organization.auto_admit_off': 'Turned admission by domain off',
  'organization.domain_lost': 'Another organization proved that the domain is its own',
  'organization.role_changed': 'Changed a role',
  'organization.idle_sleep_set': 'Set when the host sleeps',
  'organization.backup_schedule_set': 'Set how often the host is backed up',
  'organization.limits_set': 'Set the limits of the organization',
  'system_admins.setup_link_minted': 'Made the setup link',
  'system_admins.setup_claimed': 'Became the first system admin',
  'system_admins.renamed': 'Renamed the organization of the system admins',
  'system_admins.invitation_sent': 'Invited to the system admins',
  'system_admins.invitation_link_copied': 'Made a link to an invitation to the system admins',
  'system_admins.invitation_canceled': 'Took back an invitation to the system admins',
  'system_admins.invitation_accepted': 'Joined the system admins',
  'system_admins.invitation_rejected': 'Declined to join the system admins',
  'system_admins.member_removed': 'Removed from the system admins',
  'system_admins.member_left': 'Left the system admins',
  'system_admins.role_changed': 'Changed a role among the system admins',
  'accounts.two_factor_reset': 'Reset two-factor sign-in of a person',
  'daemon_key.issued': 'Issued a connection key',
  'daemon_key.rotated': 'Rotated the connection key',
  'daemon.instance_conflict': 'A second host showed the same key',
  'daemon.taken_over': 'Another host took over with a new key',
  'vault_origin.reset': 'Reset the web address of the vaults',
  'agents.approved': 'Approved a kind of program',
  'agents.paused': 'Paused a kind of program',
  'agents.resumed': 'Resumed a kind of program',
  'agents.revoked': 'Revoked a kind of program',
  'agents.write': 'A program called a tool that may change notes',
  'agents.rule': 'Changed a platform rule about programs',
  'backups.deleted': 'Deleted the backups of a deleted organization',
  'audit.exported': 'Exported an audit',
  'signing_keys.rotated': 'Rotated the signing keys',
  'signing_keys.replaced': 'Replaced the signing keys at once',
  'rollout.created': 'Created a rollout',
  'rollout.paused': 'Paused a rollout',
  'rollout.running': 'Resumed a rollout',
  'rollout.stopped': 'A rollout stopped: too many failed',
  'rollout.succeeded': 'A rollout ended',
  'rollout.aborted': 'Aborted a rollout',
}

/** All events that have a text. */
export const eventNames = Object.keys(events)

const steps: Record<string, string> = {
  requested: 'requested',
  executing: 'began',
  succeeded: 'succeeded',
  failed: 'failed',
  retryable: 'met a temporary failure',
  recovered: 'was released by hand',
  reconciled: 'was found done',
  handed_back: 'was handed to another worker',
}

const outcomes: Record<string, string> = {
  done: '',
  platform: 'As the platform',
  requested: 'Requested',
  refused: 'Refused',
  // The verdict of a platform rule that no longer holds.
  none: 'Taken back',
  with_grace: 'The old key works a little longer',
  at_once: 'The old key ended at once',
}

/** The text for an event. An unknown event of a newer server is shown by its name. */
export function eventWords({ event, action }: Pick<AuditEntry['record'], 'event' | 'action'>): string {
  const step = event.startsWith('operation.') ? event.slice('operation.'.length) : undefined
  if (step !== undefined && action !== undefined) return `${actionNames[action]}: ${steps[step] ?? stateName(step)}`
  return events[event] ?? stateName(event.replaceAll('.', ': '))
}

/** The text for an outcome, for events whose own text does not say it. */
export const outcomeWords = (outcome: string): string => outcomes[outcome] ?? stateName(outcome)

/** The text for a change of an organization's limits. `limits` names its own limits, or is `platform`. */
export const limitsWords = (limits: string): string =>
  limits === 'platform' ? 'All limits of the platform' : `Own limits: ${limits.replaceAll(' ', ', ')}`

type Choice = { value: string; name: string }

/** The filter choices for an organization's audit. */
export const organizationChoices: Choice[] = [
  { value: 'organization', name: 'Organization, members and invitations' },
  { value: 'daemon_key', name: 'Connection key' },
  { value: 'daemon', name: 'Connections of the host' },
  { value: 'operation', name: 'Operations' },
  { value: 'vault_origin', name: 'Web address of the vaults' },
  { value: 'agents', name: 'Agents' },
]

/** The filter choices for all chains: also single operations, and events of the platform itself. */
export const platformChoices: Choice[] = [
  ...organizationChoices,
  ...Object.entries(actionNames).map(([value, name]) => ({ value, name: `Operation: ${name}` })),
  { value: 'system_admins', name: 'System admins' },
  { value: 'accounts', name: 'Accounts' },
  { value: 'rollout', name: 'Rollouts' },
  { value: 'audit', name: 'Exports of the audit' },
  { value: 'signing_keys', name: 'Signing keys' },
  { value: 'backups', name: 'Backups of deleted organizations' },
]
