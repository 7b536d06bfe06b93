import type { ConsentAsked, ConsentRequest } from './agents-api.ts'

type Choice = ConsentAsked['choices'][number]
type Granted = Extract<ConsentRequest, { decision: 'connect' }>['vaults']

/** The name of a check box: for one vault, or for a whole organization. */
export const boxOf = (orgId: string, vaultId: string | null): string => JSON.stringify([orgId, vaultId])

/**
 * Choices that were read again, in which organizations that were listed stay so while their daemon does not respond. The
 * box of one vault must not turn into the box of the whole organization under the pointer. Pure.
 */
export function keepListed(known: Choice[] | undefined, read: Choice[]): Choice[] {
  const before = new Map(known?.map((choice) => [choice.orgId, choice]))
  return read.map((choice) => (choice.listed ? choice : { ...choice, ...before.get(choice.orgId) }))
}

/** True if an organization is granted with all of its vaults, which then need no ticks of their own. Pure. */
export const isWholeTicked = ({ orgId, whole }: Choice, ticked: ReadonlySet<string>): boolean =>
  whole && ticked.has(boxOf(orgId, null))

/** What the ticked boxes grant. Pure. */
export function chosenVaults(choices: Choice[], ticked: ReadonlySet<string>): Granted {
  return choices.flatMap((choice): Granted => {
    const { orgId, listed, vaults } = choice
    if (isWholeTicked(choice, ticked)) return [{ orgId, vaultId: null }]
    if (!listed) return []
    return vaults.filter(({ id }) => ticked.has(boxOf(orgId, id))).map(({ id }) => ({ orgId, vaultId: id }))
  })
}

/** The label of the button. Pure. */
export function connectWords(granted: Granted): string {
  if (granted.some(({ vaultId }) => vaultId === null)) return 'Connect'
  return granted.length === 1 ? 'Connect to 1 vault' : `Connect to ${granted.length} vaults`
}
