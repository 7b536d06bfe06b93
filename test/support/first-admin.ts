import { systemClock } from '@svc/shared/kit/clock.ts'
import { mintSetupLink } from '../../control-plane/src/setup/setup-link.ts'
import { setupRepository } from '../../control-plane/src/setup/setup.repository.ts'
import type { TestControlPlane } from './control-plane.ts'
import type { Person } from './person.ts'

/** Makes a person who is signed in the first system admin, by a setup link as the platform prints it. */
export async function makeFirstAdmin(
  cp: Pick<TestControlPlane, 'db' | 'origin'>,
  operatorOrg: string,
  person: Person,
): Promise<void> {
  const link = await mintSetupLink({ setup: setupRepository(cp.db, systemClock), operatorOrg, baseUrl: cp.origin })
  await person.post('/api/setup/claim', { token: new URL(link!).hash.slice(1) })
}
