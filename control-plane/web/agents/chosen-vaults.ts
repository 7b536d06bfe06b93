import type { ConsentAsked, ConsentRequest } from './agents-api.ts'

type Choice = ConsentAsked['choices'][number]
type Granted = Extract<ConsentRequest, { decision: 'connect' }>['vaults']

/** The name of a check box: for one vault, or for a whole organization whose daemon could not list its vaults. */
export const boxOf = (orgId: string, vaultId: string | null): string => JSON.stringify([orgId, vaultId])

/** What the ticked boxes grant. Pure. */
export function chosenVaults(choices: Choice[], ticked: ReadonlySet<string>): Granted {
  return choices.flatMap(({ orgId, listed, vaults }): Granted =>
    (listed ? vaults.map(({ id }) => id) : [null])
      .filter((vaultId) => ticked.has(boxOf(orgId, vaultId)))
      .map((vaultId) => ({ orgId, vaultId })),
  )
}

/** The label of the button. Pure. */
export function connectWords(granted: Granted): string {
  if (granted.some(({ vaultId }) => vaultId === null)) return 'Connect'
  return granted.length === 1 ? 'Connect to 1 vault' : `Connect to ${granted.length} vaults`
}
