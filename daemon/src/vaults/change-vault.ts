import type { Deed } from '../audit/audit-log.ts'
import type { Evidence } from '../audit/evidence.ts'
import { isMade } from './is-made.ts'
import type { Vault } from './vault.ts'

type Change = { vault: Vault; deed: Deed; evidence: Evidence }

/** What a change came to; `after` is the baseline where it is known only now. */
export type Made<T> = { result: T; after?: string }

/**
 * The one way to change a vault: the audit entry is durable before `act` begins and settled when it ends. `act` makes
 * the change durable as a whole or not at all, and answers undefined when somebody else was faster. A failure to settle
 * fails nobody: the next start settles by the evidence.
 */
export async function changeVault<T>(
  { vault, deed, evidence }: Change,
  act: () => Promise<Made<T> | undefined>,
): Promise<T | undefined> {
  const intent = await vault.audit.intend(deed, evidence)
  let made: Made<T> | undefined
  try {
    made = await act()
  } catch (error) {
    // A volume that fails may also fail to take a step back.
    if (await isMade(vault.files, evidence).catch(() => false)) intent.done()
    else intent.failed()
    void vault.recheck(deed.path).catch(() => {})
    throw error
  }
  if (made) intent.done(made.after)
  else intent.failed()
  return made?.result
}
