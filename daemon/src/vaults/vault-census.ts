/** A directory of the vaults folder. `mark` changes when the directory is replaced. */
export type FoundDirectory = { name: string; mark: string } & (
  { state: 'vault'; identity: string } | { state: 'new' } | { state: 'unreadable'; reason: string }
)

/** A directory that is not served, and why. */
export type RefusedVault = { name: string; reason: string }

/** What to do so that the open vaults are those on disk. */
export type Census = {
  close: string[]
  rename: { from: string; to: string }[]
  open: string[]
  refused: RefusedVault[]
  /** True when a directory must be checked once more before a decision about it. */
  isUndecided: boolean
}

type Looks = {
  /** Identities of the open vaults by id. */
  open: ReadonlyMap<string, string>
  found: readonly FoundDirectory[]
  /** The previous check. */
  before: readonly FoundDirectory[]
}

/**
 * Decides what happened to the vaults between two checks. A directory counts only when both agree: a directory that is
 * being copied or moved is neither opened halfway nor treated as removed. Pure.
 */
export function takeCensus({ open, found, before }: Looks): Census {
  const census: Census = { close: [], rename: [], open: [], refused: [], isUndecided: false }
  const at = new Map(found.map((directory) => [directory.name, directory]))
  const earlier = new Map(before.map((directory) => [directory.name, directory]))
  const holders = new Map([...open].map(([id, identity]) => [identity, id]))

  for (const directory of found) {
    const { name, state } = directory
    const identity = open.get(name)
    if (state === 'unreadable') {
      census.refused.push({ name, reason: directory.reason })
      continue
    }
    if (identity !== undefined && (state === 'new' || directory.identity === identity)) {
      if (state === 'new') census.refused.push({ name, reason: 'has lost its .svc/vault.json' })
      continue
    }
    if (earlier.get(name)?.mark !== directory.mark) {
      census.isUndecided = true
      continue
    }
    // Another vault has replaced the open one.
    if (identity !== undefined) census.close.push(name)
    const holder = state === 'vault' ? holders.get(directory.identity) : undefined
    const place = holder === undefined ? undefined : at.get(holder)
    // A directory without an identity has the place of a vault that got another name.
    const was = place && earlier.get(place.name)
    const isLeft = place?.state === 'new' && was?.state === 'new' && was.mark === place.mark
    if (holder === undefined) census.open.push(name)
    else if (!place || isLeft) census.rename.push({ from: holder, to: name })
    else if (isOther(place, directory)) census.isUndecided = true
    else census.refused.push({ name, reason: `has the same identity as ${holder}` })
    if (isLeft) census.isUndecided = true
    if (state === 'vault' && (!place || isLeft)) holders.set(directory.identity, name)
  }

  const renamed = new Set(census.rename.map(({ from }) => from))
  census.refused = census.refused.filter(({ name }) => !renamed.has(name))
  for (const id of open.keys()) {
    if (at.has(id) || renamed.has(id)) continue
    if (earlier.has(id)) census.isUndecided = true
    else census.close.push(id)
  }
  return census
}

/** True when the directory of the holder of an identity has another one or none by now, as when vaults swap names. */
const isOther = (holder: FoundDirectory, directory: FoundDirectory): boolean =>
  holder.state === 'new' ||
  (holder.state === 'vault' && directory.state === 'vault' && holder.identity !== directory.identity)
