import type { OrganizationVaults } from '../answers.ts'

const plain = (text: string) =>
  text
    .normalize('NFD')
    .replaceAll(/\p{Mn}/gu, '')
    .toLowerCase()

/**
 * The organizations and vaults whose names contain every word of a search. Ignores case and accents. An organization
 * that matches by its own name keeps all of its vaults.
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
