import type { Vault } from '../vaults/vault.ts'
import { pathsOf } from '../watch/remembered.ts'
import { slices } from '../watch/slices.ts'

/** An argument of a prompt or of the resource template that a person is typing. */
export type Typed = { name: string; value: string; vaultId: string | undefined }

const MAX_VALUES = 100

/**
 * Suggests vault ids, and paths in a vault that is already named. Those that begin with the text come first. Pauses,
 * because a vault has many paths.
 */
export async function completeArgument(vaults: readonly Vault[], { name, value, vaultId }: Typed) {
  const typed = value.toLowerCase()
  const pause = slices()
  const [first, rest]: [string[], string[]] = [[], []]
  let total = 0
  for (const each of candidates(vaults, { name, vaultId })) {
    await pause()
    const at = each.toLowerCase().indexOf(typed)
    if (at === -1) continue
    total++
    const found = at === 0 ? first : rest
    if (found.length < MAX_VALUES) found.push(each)
  }
  return { values: [...first, ...rest].slice(0, MAX_VALUES), total, hasMore: total > MAX_VALUES }
}

function candidates(vaults: readonly Vault[], { name, vaultId }: Pick<Typed, 'name' | 'vaultId'>): Iterable<string> {
  if (name === 'vaultId') return vaults.map(({ id }) => id)
  const vault = name === 'path' ? vaults.find(({ id }) => id === vaultId) : undefined
  return vault ? pathsOf(vault.manifest.asOfNow()) : []
}
