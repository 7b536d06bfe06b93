import type { Vault } from '../vaults/vault.ts'

/** An argument of a prompt or of the resource template that a person is typing. */
export type Typed = { name: string; value: string; vaultId: string | undefined }

const MAX_VALUES = 100

/** Suggests vault ids, and paths in a vault that is already named. Those that begin with the text come first. */
export function completeArgument(vaults: readonly Vault[], { name, value, vaultId }: Typed) {
  const typed = value.toLowerCase()
  const vault = vaults.find(({ id }) => id === vaultId)
  const all =
    name === 'vaultId'
      ? vaults.map(({ id }) => id)
      : name === 'path' && vault
        ? Array.from(vault.manifest.files(), ({ path }) => path)
        : []
  const found = all.filter((each) => each.toLowerCase().includes(typed))
  const [first, rest] = [
    found.filter((each) => startsWith(each, typed)),
    found.filter((each) => !startsWith(each, typed)),
  ]
  return {
    values: [...first, ...rest].slice(0, MAX_VALUES),
    total: found.length,
    hasMore: found.length > MAX_VALUES,
  }
}

const startsWith = (text: string, typed: string): boolean => text.toLowerCase().startsWith(typed)
