import type { z } from 'zod'
import type { OrganizationVaults } from '@svc/shared/wire/control-plane.api.ts'
import { withTimeLimit } from '@svc/shared/kit/time-limit.ts'
import { isFailure } from '@svc/shared/wire/errors.ts'
import type { ObservedState } from '@svc/shared/wire/managed-daemon.ts'

type View = z.infer<typeof OrganizationVaults>
type Organization = { id: string; slug: string; name: string; daemonMode?: 'self_hosted' | 'cloud_hosted' | undefined }

type Facts = Omit<View, 'state' | 'vaults'>

export type ListVaultsDeps = {
  listOrganizations(userId: string): Promise<Organization[]>
  /** Queries the daemon through its tunnel. Fails with daemon_offline when there is none; never wakes. */
  askDaemon(request: {
    orgId: string
    userId: string
    signal: AbortSignal
  }): Promise<Omit<View['vaults'][number], 'slug'>[]>
  /** The state of the hosted daemon; undefined when there is none yet. */
  findHostedState(orgId: string): Promise<ObservedState | undefined>
  /** How long one organization may take; a shorter one is for tests. */
  deadlineMs?: number
}

const DEADLINE_MS = 3_000

/**
 * Lists the vaults of a person, each organization's through its own daemon, all concurrently. A daemon that does not
 * respond within the deadline counts as failed; the others do not wait for it.
 */
export function createListVaults({
  listOrganizations,
  askDaemon,
  findHostedState,
  deadlineMs = DEADLINE_MS,
}: ListVaultsDeps) {
  const read = async (view: Facts, userId: string, signal: AbortSignal): Promise<View> => {
    const { orgId, daemonMode } = view

    try {
      const vaults = await askDaemon({ orgId, userId, signal })
      return { ...view, state: 'available', vaults: vaults.map((vault) => ({ ...vault, slug: vault.id })) }
    } catch (error) {
      if (!isFailure(error, 'daemon_offline')) return { ...view, state: 'failed', vaults: [] }
      const observed =
        daemonMode === 'cloud_hosted' ? await findHostedState(orgId).catch(() => 'failed' as const) : undefined
      return { ...view, state: stateWithoutTunnel(daemonMode, observed), vaults: [] }
    }
  }

  const listOne = async (organization: Organization, userId: string): Promise<View | undefined> => {
    const { id: orgId, slug: orgSlug, name: orgName, daemonMode } = organization
    if (daemonMode === undefined) return undefined
    const view = { orgId, orgSlug, orgName, daemonMode }
    const late: View = { ...view, state: 'failed', vaults: [] }
    return withTimeLimit({ ms: deadlineMs }, (signal) =>
      Promise.race([
        read(view, userId, signal),
        new Promise<View>((resolve) => signal.addEventListener('abort', () => resolve(late), { once: true })),
      ]),
    )
  }

  return async (userId: string): Promise<View[]> => {
    const organizations = await listOrganizations(userId)
    const views = await Promise.all(organizations.map((organization) => listOne(organization, userId)))
    return views.filter((view) => view !== undefined)
  }
}

/**
 * The state to report for a daemon without a tunnel: `offline` when self-hosted or not there yet, otherwise the state of
 * its resource.
 */
export function stateWithoutTunnel(mode: View['daemonMode'], observed: ObservedState | undefined): View['state'] {
  if (mode === 'self_hosted' || observed === undefined) return 'offline'
  if (observed === 'sleeping' || observed === 'stopping') return 'sleeping'
  if (observed === 'failed' || observed === 'degraded') return 'failed'
  return observed === 'deleting' ? 'offline' : 'starting'
}
