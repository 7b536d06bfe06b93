import type { QueryKey } from '@tanstack/react-query'
import type { ChangeTopic, StateChange } from '@svc/shared/wire/events.api.ts'

const ofOrganization = (...kinds: string[]) => {
  return (orgId: string | null): QueryKey[] => kinds.map((kind) => (orgId === null ? [kind] : [kind, orgId]))
}
const ofDaemonPage = (orgId: string | null): QueryKey =>
  orgId === null ? ['admin', 'organization'] : ['admin', 'organization', orgId]
const ofConsole = (...parts: string[]): QueryKey[] => parts.map((part) => ['admin', part])

/** The prefixes of the query keys whose data a change makes stale. */
const keysOf: Record<ChangeTopic, (orgId: string | null) => QueryKey[]> = {
  organization: () => [['session'], ['vaults'], ...ofConsole('fleet', 'organizations')],
  members: () => [['session'], ...ofConsole('organizations', 'people')],
  invitations: () => [['session']],
  account: () => [['session'], ['sessions'], ['passkeys'], ['apps']],
  integrations: (orgId) => [...ofOrganization('integrations')(orgId), ['apps']],
  keys: ofOrganization('daemon-key'),
  backups: (orgId) => [...ofOrganization('hosted-status')(orgId), ...ofConsole('fleet'), ofDaemonPage(orgId)],
  daemon: (orgId) => [
    ['session'],
    ['vaults'],
    ...ofOrganization('daemon-status', 'hosted-status')(orgId),
    ...ofConsole('fleet', 'overview', 'organizations'),
    ofDaemonPage(orgId),
  ],
  operations: (orgId) => [
    ...ofOrganization('hosted-status')(orgId),
    ...ofConsole('fleet', 'overview', 'claims'),
    ofDaemonPage(orgId),
  ],
  audit: () => [['audit']],
  rollouts: () => ofConsole('rollouts', 'rollout', 'overview'),
  people: () => ofConsole('people'),
  rules: () => ofConsole('agent-rules'),
}

/**
 * The keys of the queries to read again after changes, without duplicates. Unknown topics of a newer server are
 * ignored.
 */
export function keysToRefresh(changes: StateChange[]): QueryKey[] {
  const keys = changes.flatMap(({ topic, orgId }) => (Object.hasOwn(keysOf, topic) ? keysOf[topic](orgId) : []))
  return [...new Map(keys.map((key) => [JSON.stringify(key), key])).values()]
}
