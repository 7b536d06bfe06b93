let collator: Intl.Collator | undefined
/** Created with the first tree: it takes 10 ms, and most first requests after a start do not need it. */
const inOrder = (a: string, b: string) =>
  (collator ??= new Intl.Collator('en', { numeric: true, sensitivity: 'base' })).compare(a, b)

/** The order of the names in a folder, as the tree shows them. */
export const byName = (a: { name: string }, b: { name: string }): number =>
  inOrder(a.name, b.name) || (a.name < b.name ? -1 : 1)
