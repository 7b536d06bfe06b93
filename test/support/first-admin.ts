import { systemClock, type Clock } from '@svc/shared/kit/clock.ts'
import { mintSetupLink } from '../../control-plane/src/setup/setup-link.ts'
import { setupRepository } from '../../control-plane/src/setup/setup.repository.ts'
import type { TestControlPlane } from './control-plane.ts'
import type { Person } from './person.ts'

/** Makes a signed-in person the first system admin, with a setup link as printed by the platform. */
export async function makeFirstAdmin(
  { db, origin }: Pick<TestControlPlane, 'db' | 'origin'>,
  operatorOrg: string,
  person: Person,
  clock: Clock = systemClock,
): Promise<void> {
  const link = await mintSetupLink({ setup: setupRepository(db, clock), operatorOrg, baseUrl: origin })
  if (link === undefined) throw new Error('this control plane has a system admin')
  const claimed = await person.post('/api/setup/claim', { token: new URL(link).hash.slice(1) })
  if (claimed.status !== 200) throw new Error(`nobody became system admin: ${claimed.text}`)
}
