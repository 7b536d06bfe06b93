import type { OrganizationVaults } from '../answers.ts'

const plain = (text: string) =>
  text
    .normalize('NFD')
    .replaceAll(/\p{Mn}/gu, '')
    .toLowerCase()

/**
 * The organizations and vaults that hold every word of a search, whatever its case and accents. An organization that is
 * found by its own name shows all of its vaults.
 */
export function findVaults(organizations: OrganizationVaults[], search: string): OrganizationVaults[] {
  const words = plain(search).split(/\s+/).filter(Boolean)
  const holds = (...names: string[]) => {
    const text = plain(names.join(' '))
    return words.every((word) => text.includes(word))
  }
  return organizations.flatMap((organization) => {
    const { orgName, orgSlug } = organization
    if (holds(orgName, orgSlug)) return [organization]
    const vaults = organization.vaults.filter(({ displayName, slug }) => holds(orgName, orgSlug, displayName, slug))
    return vaults.length === 0 ? [] : [{ ...organization, vaults }]
  })
}
