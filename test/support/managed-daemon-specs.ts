import { newId } from '@svc/shared/wire/new-id.ts'
import {
  initialStatus,
  managedDaemonName,
  type ManagedDaemon,
  type ManagedDaemonSpec,
} from '@svc/shared/wire/managed-daemon.ts'

/** A valid spec of a new organization, with changes. */
export function someSpec(changes: Partial<ManagedDaemonSpec> = {}): ManagedDaemonSpec {
  const orgId = changes.orgId ?? newId('org_')
  return {
    orgId,
    orgSlug: 'acme',
    image: `local/svcd@sha256:${'0'.repeat(64)}`,
    desiredState: 'running',
    relay: { url: `http://localhost:7380/t/${orgId}`, keyGeneration: 1, acceptedGeneration: 0 },
    storage: { size: '64Mi' },
    resources: { cpu: '500m', memory: '512Mi' },
    paused: false,
    deletionPolicy: 'retain',
    ...changes,
  }
}

/** A resource as a store returns it, with changes of its spec and of other fields. */
export function someDaemon(
  specChanges: Partial<ManagedDaemonSpec> = {},
  changes: Partial<Omit<ManagedDaemon, 'spec'>> = {},
): ManagedDaemon {
  const spec = someSpec(specChanges)
  return {
    name: managedDaemonName(spec.orgId),
    uid: 'uid-1',
    resourceVersion: '1',
    generation: 1,
    createdAt: '2026-06-01T10:00:00.000Z',
    status: initialStatus,
    ...changes,
    spec,
  }
}
