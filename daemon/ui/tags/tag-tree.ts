export type TagCount = { tag: string; count: number }

/** One tag with its nested tags. `tag` is the whole name; `count` is absent where only nested tags are used. */
export type TagBranch = { name: string; tag: string; count: number | undefined; below: TagBranch[] }

/** The maximum depth; deeper names stay whole in the last branch. Nobody can read a tree of a hundred levels. */
const DEEPEST = 6

/** Tags as a tree: `work/plan` is in `work`. Names are compared without case, as in the search, and sorted. */
export function tagTree(tags: readonly TagCount[]): TagBranch[] {
  const top: TagBranch[] = []
  const known = new Map<string, TagBranch>()
  for (const { tag, count } of tags) {
    const parts = tag.split('/').filter((part) => part !== '')
    if (parts.length === 0) continue
    const names = [...parts.slice(0, DEEPEST - 1), parts.slice(DEEPEST - 1).join('/')].filter((name) => name !== '')
    let siblings = top
    let branch: TagBranch | undefined
    names.forEach((name, depth) => {
      const whole = names.slice(0, depth + 1).join('/')
      const key = whole.normalize('NFC').toLowerCase()
      branch = known.get(key)
      if (!branch) {
        branch = { name, tag: whole, count: undefined, below: [] }
        known.set(key, branch)
        siblings.push(branch)
      }
      siblings = branch.below
    })
    branch!.count = (branch!.count ?? 0) + count
  }
  sort(top)
  return top
}

/** The branches whose name contains the words, with the branches above them. */
export function branchesWith(branches: readonly TagBranch[], wanted: string): TagBranch[] {
  const word = wanted.normalize('NFC').toLowerCase()
  return branches.flatMap((branch) => {
    if (branch.tag.normalize('NFC').toLowerCase().includes(word)) return [branch]
    const below = branchesWith(branch.below, wanted)
    return below.length > 0 ? [{ ...branch, below }] : []
  })
}

/**
 * The first branches of a tree, each with all of its tags. They have at most `most` tags together, but there is at
 * least one branch.
 */
export function firstOf(branches: readonly TagBranch[], most: number): TagBranch[] {
  const kept: TagBranch[] = []
  let left = most
  for (const branch of branches) {
    left -= sizeOf([branch])
    if (left < 0 && kept.length > 0) break
    kept.push(branch)
  }
  return kept
}

/** The number of tags in a tree. */
export const sizeOf = (branches: readonly TagBranch[]): number =>
  branches.reduce((sum, { below }) => sum + 1 + sizeOf(below), 0)

const order = new Intl.Collator(undefined, { numeric: true })

function sort(branches: TagBranch[]) {
  branches.sort((one, other) => order.compare(one.name, other.name))
  for (const { below } of branches) sort(below)
}
