import type { Mutation } from '../audit/audit-log.ts'
import type { Evidence } from '../audit/evidence.ts'
import { isMade } from './is-made.ts'
import type { Vault } from './vault.ts'

type Change = { vault: Vault; mutation: Mutation; evidence: Evidence }

/** What a change came to; `after` is the baseline where it is known only now. */
export type Made<T> = { result: T; after?: string }

/**
 * The one way to change a vault. The audit entry is durable before `act` begins and concluded when `act` ends. `act` makes
 * the change durable as a whole or not at all, and returns undefined if another change came first. If the conclusion
 * cannot be written, the next start concludes the entry by the evidence.
 */
export async function changeVault<T>(
  { vault, mutation, evidence }: Change,
  act: () => Promise<Made<T> | undefined>,
): Promise<T | undefined> {
  const intent = await vault.audit.intend(mutation, evidence)
  let made: Made<T> | undefined
  try {
    made = await act()
  } catch (error) {
    // A volume that fails may also fail to take a step back.
    if (await isMade(vault.files, evidence).catch(() => false)) intent.done()
    else intent.failed()
    void vault.recheck(mutation.path).catch(() => {})
    throw error
  }
  if (made) intent.done(made.after)
  else intent.failed()
  return made?.result
}
