import type { Clock } from '@svc/shared/kit/clock.ts'
import { effectiveImage, type ManagedDaemon } from '@svc/shared/wire/managed-daemon.ts'
import type { Runtime } from '../runtime/runtime.ts'
import type { ImageVerdict, Observed } from './observed.ts'

/**
 * Reads the present state. An image is checked only while it is being tried, so a running daemon depends on no
 * registry.
 */
export async function observe(daemon: ManagedDaemon, runtime: Runtime, clock: Clock): Promise<Observed> {
  const children = await runtime.observe(daemon)
  const wanted = effectiveImage(daemon.spec, daemon.status)
  const known = wanted === daemon.status.lastGoodImage || daemon.deletedAt !== undefined
  const image: ImageVerdict = known ? { state: 'allowed' } : await runtime.checkImage(wanted)
  return { daemon, children, image, now: clock.now() }
}
