import { describe, expect, it } from 'vitest'
import type { OrganizationVaults } from '../answers.ts'
import { findVaults } from './find-vaults.ts'

const vault = (slug: string, displayName: string) => ({ id: slug, slug, displayName })
const organization = (orgSlug: string, orgName: string, vaults: OrganizationVaults['vaults']): OrganizationVaults => ({
  orgId: `org_${orgSlug}`,
  orgSlug,
  orgName,
  daemonMode: 'self_hosted',
  state: 'available',
  vaults,
})
const organizations = [
  organization('acme', 'Acme', [vault('handbook', 'Handbook'), vault('cafe', 'Café plans')]),
  organization('alder', 'Alder & Finch', [vault('clients', 'Clients')]),
]
const found = (search: string) =>
  findVaults(organizations, search).map(({ orgSlug, vaults }) => [orgSlug, ...vaults.map(({ slug }) => slug)].join(' '))

describe('findVaults', () => {
  it.each([
    ['', ['acme handbook cafe', 'alder clients']],
    ['finch', ['alder clients']],
    ['CAFE', ['acme cafe']],
    ['plans acme', ['acme cafe']],
    ['  ', ['acme handbook cafe', 'alder clients']],
    ['nowhere', []],
  ])('%j finds %j', (search, expected) => {
    expect(found(search)).toEqual(expected)
  })
})
