import type { Migration } from 'kysely/migration'
import * as accounts from './migrations/0001-accounts.ts'
import * as organizations from './migrations/0002-organizations.ts'
import * as relay from './migrations/0003-relay.ts'
import * as managedDaemons from './migrations/0004-managed-daemons.ts'
import * as operations from './migrations/0005-operations.ts'
import * as setup from './migrations/0006-setup.ts'
import * as rollouts from './migrations/0008-rollouts.ts'
import * as credentials from './migrations/0009-credentials.ts'
import * as instanceConflicts from './migrations/0010-instance-conflicts.ts'
import * as auditKeys from './migrations/0011-audit-keys.ts'
import * as idleSleep from './migrations/0012-idle-sleep.ts'
import * as invitationLinks from './migrations/0013-invitation-links.ts'
import * as pendingSignUps from './migrations/0014-pending-sign-ups.ts'
import * as credentialChanges from './migrations/0015-credential-changes.ts'
import * as preferences from './migrations/0016-preferences.ts'
import * as agents from './migrations/0017-agents.ts'
import * as inventory from './migrations/0018-inventory.ts'
import * as secondFactors from './migrations/0019-second-factors.ts'
import * as accountChanges from './migrations/0021-account-changes.ts'
import * as backups from './migrations/0022-backups.ts'
import * as stateChanges from './migrations/0023-state-changes.ts'
import * as agentSubscriptions from './migrations/0024-agent-subscriptions.ts'
import * as agentPauses from './migrations/0025-agent-pauses.ts'
import * as organizationLimits from './migrations/0026-organization-limits.ts'
import * as agentUndone from './migrations/0027-agent-undone.ts'
import * as awakeChanges from './migrations/0028-awake-changes.ts'
import * as consoleChanges from './migrations/0029-console-changes.ts'
import * as stateBeforeEvent from './migrations/0030-state-before-event.ts'
import * as failureMessage from './migrations/0031-failure-message.ts'
import * as wholeSecondFactors from './migrations/0032-whole-second-factors.ts'
import * as lastAdminInDeletion from './migrations/0033-last-admin-in-deletion.ts'
import * as removedAddresses from './migrations/0034-removed-addresses.ts'
import * as reinstalledDaemons from './migrations/0035-reinstalled-daemons.ts'
import * as removedAccounts from './migrations/0036-removed-accounts.ts'
import * as waysBeforeChanges from './migrations/0037-ways-before-changes.ts'
import * as currentBackups from './migrations/0038-current-backups.ts'
import * as backupProblems from './migrations/0039-backup-problems.ts'
import * as begunRemovals from './migrations/0040-begun-removals.ts'
import * as failedAndLeftBackups from './migrations/0041-failed-and-left-backups.ts'
import * as grantsOfMembers from './migrations/0042-grants-of-members.ts'
import * as locksOfNewTokens from './migrations/0043-locks-of-new-tokens.ts'
import * as ownersOfNewTokens from './migrations/0044-owners-of-new-tokens.ts'
import * as locksOfFirstPasswords from './migrations/0045-locks-of-first-passwords.ts'

/** Every migration in order, by name. Append only: never edit a migration that has landed. */
export const migrations: Record<string, Migration> = {
  '0001-accounts': accounts,
  '0002-organizations': organizations,
  '0003-relay': relay,
  '0004-managed-daemons': managedDaemons,
  '0005-operations': operations,
  '0006-setup': setup,
  '0008-rollouts': rollouts,
  '0009-credentials': credentials,
  '0010-instance-conflicts': instanceConflicts,
  '0011-audit-keys': auditKeys,
  '0012-idle-sleep': idleSleep,
  '0013-invitation-links': invitationLinks,
  '0014-pending-sign-ups': pendingSignUps,
  '0015-credential-changes': credentialChanges,
  '0016-preferences': preferences,
  '0017-agents': agents,
  '0018-inventory': inventory,
  '0019-second-factors': secondFactors,
  '0021-account-changes': accountChanges,
  '0022-backups': backups,
  '0023-state-changes': stateChanges,
  '0024-agent-subscriptions': agentSubscriptions,
  '0025-agent-pauses': agentPauses,
  '0026-organization-limits': organizationLimits,
  '0027-agent-undone': agentUndone,
  '0028-awake-changes': awakeChanges,
  '0029-console-changes': consoleChanges,
  '0030-state-before-event': stateBeforeEvent,
  '0031-failure-message': failureMessage,
  '0032-whole-second-factors': wholeSecondFactors,
  '0033-last-admin-in-deletion': lastAdminInDeletion,
  '0034-removed-addresses': removedAddresses,
  '0035-reinstalled-daemons': reinstalledDaemons,
  '0036-removed-accounts': removedAccounts,
  '0037-ways-before-changes': waysBeforeChanges,
  '0038-current-backups': currentBackups,
  '0039-backup-problems': backupProblems,
  '0040-begun-removals': begunRemovals,
  '0041-failed-and-left-backups': failedAndLeftBackups,
  '0042-grants-of-members': grantsOfMembers,
  '0043-locks-of-new-tokens': locksOfNewTokens,
  '0044-owners-of-new-tokens': ownersOfNewTokens,
  '0045-locks-of-first-passwords': locksOfFirstPasswords,
}
