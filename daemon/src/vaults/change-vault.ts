import type { AuditIntent, Mutation } from '../audit/audit-log.ts'
import type { Evidence } from '../audit/evidence.ts'
import { isMade } from './is-made.ts'
import type { WrittenLines } from './vault-change.ts'
import type { Vault } from './vault.ts'

/** `written`: who wrote the lines of a note, when the actor is not the only author. */
type Change = { vault: Vault; mutation: Mutation; evidence: Evidence; written?: WrittenLines | undefined }

/** The result of a change; `after` is the baseline, if it was not known before. */
export type Made<T> = { result: T; after?: string }

/**
 * The one way to change a vault. The audit entry is durable before `act` begins and concluded when `act` ends. `act`
 * makes the change durable as a whole or not at all, and returns undefined if another change came first. If the
 * conclusion cannot be written, the next start concludes the entry from the evidence.
 */
export async function changeVault<T>(
  { vault, mutation, evidence, written }: Change,
  act: () => Promise<Made<T> | undefined>,
): Promise<T | undefined> {
  await vault.refuseReplaced()
  const intent = await vault.audit.intend(mutation, evidence)
  let made: Made<T> | undefined
  try {
    made = await act()
  } catch (error) {
    // On a failing volume, the rollback can fail too.
    if (await isMade(vault.files, evidence).catch(() => false)) intent.done()
    else intent.failed()
    vault.doubt({ path: mutation.path, by: mutation.by, evidence, written })
    void vault.recheck(mutation.path).catch(() => {})
    throw error
  }
  if (made) intent.done(made.after)
  else intent.failed()
  return made?.result
}

/** One of several changes that are made together; `after` is the resulting baseline. */
export type TogetherChange = { mutation: Mutation; evidence: Evidence; after?: string | undefined }

/** Like `changeVault`, for several changes of which `act` makes all or none; each has its own audit entry. */
export async function changeVaultTogether<T>(
  { vault, changes }: { vault: Vault; changes: readonly TogetherChange[] },
  act: () => Promise<T | undefined>,
): Promise<T | undefined> {
  await vault.refuseReplaced()
  const opened = await Promise.allSettled(
    changes.map(({ mutation, evidence }) => vault.audit.intend(mutation, evidence)),
  )
  const intents = opened.map((one) => (one.status === 'fulfilled' ? one.value : undefined))
  const conclude = async (isDone: (change: TogetherChange) => Promise<boolean>) => {
    for (const [index, change] of changes.entries()) await settle(intents[index], change, isDone)
  }
  const refused = opened.find((one) => one.status === 'rejected')
  if (refused) {
    await conclude(async () => false)
    throw refused.reason
  }
  let made: T | undefined
  try {
    made = await act()
  } catch (error) {
    await conclude(({ evidence }) => isMade(vault.files, evidence).catch(() => false))
    for (const { mutation, evidence } of changes) vault.doubt({ path: mutation.path, by: mutation.by, evidence })
    for (const { mutation } of changes)
      for (const path of [mutation.path, mutation.to]) if (path !== undefined) void vault.recheck(path).catch(() => {})
    throw error
  }
  await conclude(async () => made !== undefined)
  return made
}

async function settle(
  intent: AuditIntent | undefined,
  change: TogetherChange,
  isDone: (change: TogetherChange) => Promise<boolean>,
): Promise<void> {
  if (!intent) return
  if (await isDone(change)) intent.done(change.after)
  else intent.failed()
}
