import type { OrganizationVaults } from '../answers.ts'

type Listed = Pick<OrganizationVaults, 'orgId' | 'state' | 'vaults'>

/**
 * A new list in which organizations whose daemon did not respond keep the vaults that are known: what a person has
 * begun to open must not disappear meanwhile.
 */
export function keepVaults<T extends Listed>(known: T[] | undefined, listed: T[]): T[] {
  const before = new Map(known?.map(({ orgId, vaults }) => [orgId, vaults]))
  return listed.map((one) =>
    one.state === 'available' ? one : { ...one, vaults: before.get(one.orgId) ?? one.vaults },
  )
}
