import { newId } from '@svc/shared/wire/ids.ts'
import type { ManagedDaemonSpec } from '@svc/shared/wire/managed-daemon.ts'

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
