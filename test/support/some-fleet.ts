import type { Condition } from '@svc/shared/wire/managed-daemon.ts'
import { newId } from '@svc/shared/wire/new-id.ts'
import type { TestControlPlane } from './control-plane.ts'
import { someSpec } from './managed-daemon-specs.ts'

const GIB = 1024 ** 3

const bad = (type: Condition['type'], reason: string, message: string): Condition => ({
  type,
  status: type === 'Degraded' ? 'True' : 'False',
  reason,
  message,
  observedGeneration: 1,
  lastTransitionTime: new Date(Date.now() - 3_600_000).toISOString(),
})

/**
 * Hosted organizations with daemons as an operator would report them: the first is nearly full, the second not
 * connected, the third starting; every third of the others sleeps.
 */
export async function addFleet({ db, store }: TestControlPlane, count: number) {
  const fleet: { orgId: string; slug: string }[] = []
  for (let at = 0; at < count; at++) {
    const organization = { orgId: newId('org_'), slug: `organization-${String(at).padStart(4, '0')}` }
    fleet.push(organization)
    const { orgId, slug } = organization
    const row = { id: orgId, slug, name: slug, daemon_mode: 'cloud_hosted' as const, createdAt: new Date() }
    await db
      .insertInto('organization')
      .values({ ...row, logo: null, metadata: null })
      .execute()
    const sleeps = at > 2 && at % 3 === 0
    const desiredState = sleeps ? 'sleeping' : 'running'
    const { name, resourceVersion } = await store.create(someSpec({ orgId, orgSlug: slug, desiredState }))
    const states = ['running', 'degraded', 'starting'] as const
    await store.putStatus(name, resourceVersion, {
      observedState: sleeps ? 'sleeping' : (states[at] ?? 'running'),
      image: `local/svcd@sha256:${'0'.repeat(64)}`,
      version: '0.9.3',
      storage: { usedBytes: Math.floor((at === 0 ? 0.97 : ((at * 37) % 90) / 100) * GIB), capacityBytes: GIB },
      conditions: [
        ...(at === 0 ? [bad('StorageHealthy', 'NearlyFull', 'The volume is at least 90 % full.')] : []),
        ...(at === 1
          ? [bad('Degraded', 'RelayNotConnected', 'Waiting until the daemon has a tunnel to the relay.')]
          : []),
      ],
    })
  }
  return fleet
}
