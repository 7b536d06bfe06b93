import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { endsWithin } from '@svc/shared/kit/within.ts'
import { kinds, pathOf, type KubeObject } from '@svc/kube/src/kinds.ts'
import type { KubeClient } from '@svc/kube/src/kube-client.ts'
import { absentOn404, isKubeError } from '@svc/kube/src/kube-error.ts'

type LeaseObject = KubeObject & {
  spec?: {
    holderIdentity?: string
    leaseDurationSeconds?: number
    acquireTime?: string
    renewTime?: string
    leaseTransitions?: number
  }
}

export type LeaseOptions = {
  client: KubeClient
  clock: Clock
  log: Log
  namespace: string
  name: string
  /** Our identity; unique for each start of a process. */
  identity: string
  timing?: LeaseTiming
}

export type LeaseTiming = { durationMs: number; renewWithinMs: number; everyMs: number }

const defaults: LeaseTiming = { durationMs: 15_000, renewWithinMs: 10_000, everyMs: 2_000 }

/**
 * Waits until the lease is ours, then runs `lead` with a signal that aborts when the lease is lost: writes in flight
 * must not be completed then. Resolves when `lead` does, and releases the lease.
 */
export function createLease({ client, clock, log, namespace, name, identity, timing = defaults }: LeaseOptions) {
  const path = pathOf(kinds.lease, namespace, name)
  // A lease has expired when it has not changed for its duration by our own clock; other clocks are not trusted.
  let seen: { version: string; at: number } | undefined

  const acquire = async (): Promise<boolean> => {
    const lease = await absentOn404(client.request<LeaseObject>({ method: 'GET', path }))
    if (lease === undefined) return write('POST', undefined)
    const { holderIdentity, leaseDurationSeconds = 0 } = lease.spec ?? {}
    const version = lease.metadata.resourceVersion ?? ''
    if (seen?.version !== version) seen = { version, at: clock.monotonic() }
    const expired = clock.monotonic() - seen.at > leaseDurationSeconds * 1_000
    if (holderIdentity && holderIdentity !== identity && !expired) return false
    return write('PUT', lease)
  }

  const write = async (
    method: 'POST' | 'PUT',
    before: LeaseObject | undefined,
    holder = identity,
  ): Promise<boolean> => {
    const now = clock.now().toISOString().replace('Z', '000Z') // MicroTime
    const same = before?.spec?.holderIdentity === holder
    const body = {
      apiVersion: kinds.lease.apiVersion,
      kind: kinds.lease.kind,
      metadata: { name, namespace, resourceVersion: before?.metadata.resourceVersion },
      spec: {
        holderIdentity: holder,
        leaseDurationSeconds: Math.ceil(timing.durationMs / 1_000),
        acquireTime: same ? before.spec?.acquireTime : now,
        renewTime: now,
        leaseTransitions: (before?.spec?.leaseTransitions ?? 0) + (same ? 0 : 1),
      },
    }
    try {
      const target = method === 'POST' ? pathOf(kinds.lease, namespace) : path
      await client.request({ method, path: target, body })
      return true
    } catch (error) {
      if (isKubeError(error, 409)) return false
      throw error
    }
  }

  const release = async () => {
    const lease = await absentOn404(client.request<LeaseObject>({ method: 'GET', path }))
    if (lease?.spec?.holderIdentity === identity) await write('PUT', lease, '')
  }

  return {
    async run(lead: (held: AbortSignal) => Promise<void>, stop: AbortSignal): Promise<void> {
      while (!stop.aborted) {
        const mine = await acquire().catch((error: unknown) => void log.warn({ err: error }, 'the lease was not read'))
        if (mine) break
        await clock.sleep(timing.everyMs, stop).catch(() => {})
      }
      if (stop.aborted) return

      log.info({ identity, lease: name }, 'leading')
      const lost = new AbortController()
      const renewing = renew(lost, stop)
      try {
        await lead(AbortSignal.any([lost.signal, stop]))
      } finally {
        const wasLost = lost.signal.aborted
        lost.abort()
        await renewing
        if (!wasLost)
          await release().catch((error: unknown) => log.warn({ err: error }, 'the lease was not given back'))
      }
    },
  }

  /** Renews until told to stop; aborts `lost` when another process has the lease or it could not be renewed in time. */
  async function renew(lost: AbortController, stop: AbortSignal): Promise<void> {
    let renewed = clock.monotonic()
    const signal = AbortSignal.any([lost.signal, stop])
    while (!signal.aborted) {
      await clock.sleep(timing.everyMs, signal).catch(() => {})
      if (signal.aborted) return
      const left = Math.max(0, timing.renewWithinMs - (clock.monotonic() - renewed))
      let outcome: boolean | undefined
      const attempt = acquire().then(
        (mine) => void (outcome = mine),
        () => {},
      )
      await endsWithin(attempt, { ms: left, clock })
      if (outcome === true) renewed = clock.monotonic()
      if (outcome === false || clock.monotonic() - renewed >= timing.renewWithinMs) {
        log.error({ lease: name }, 'the lease was lost')
        lost.abort(new Error('the lease was lost'))
      }
    }
  }
}
