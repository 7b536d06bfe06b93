import { describe, expect, it } from 'vitest'
import { pathTo, readNext, readRoute } from './routes.ts'
import { verifies } from '../../../test/requirements.ts'

describe('readRoute', () => {
  it.each([
    ['/', { page: 'home' }],
    ['/sign-in/', { page: 'sign-in' }],
    ['/sign-in/link', { page: 'magic-link' }],
    ['/invitations/inv_abc', { page: 'invitation', id: 'inv_abc' }],
    ['/organizations/new', { page: 'new-organization', kind: 'choose' }],
    ['/organizations/acme', { page: 'organization', slug: 'acme', tab: 'vaults' }],
    ['/organizations/acme/members', { page: 'organization', slug: 'acme', tab: 'members' }],
    ['/organizations/acme/secrets', { page: 'unknown' }],
    ['/open/acme/caf%C3%A9', { page: 'open', orgSlug: 'acme', vaultSlug: 'café' }],
    ['/admin/organizations/org_a', { page: 'admin-daemon', orgId: 'org_a' }],
    ['/admin/organizations/org_a/elsewhere', { page: 'unknown' }],
    ['/toString', { page: 'unknown' }],
    ['/%E0%A4%A', { page: 'unknown' }],
  ])('reads %s', (path, route) => {
    expect(readRoute(path)).toEqual(route)
  })

  it('reads back every address that it makes', () => {
    expect(readRoute(pathTo.organization('a b', 'daemon'))).toEqual({
      page: 'organization',
      slug: 'a b',
      tab: 'daemon',
    })
    expect(readRoute(pathTo.open('a', 'x/y'))).toEqual({ page: 'open', orgSlug: 'a', vaultSlug: 'x/y' })
    expect(readRoute(pathTo.newOrganization('hosted'))).toEqual({ page: 'new-organization', kind: 'hosted' })
    expect(readRoute(pathTo.adminRollout('r1'))).toEqual({ page: 'admin-rollout', id: 'r1' })
  })
})

describe('readNext', () => {
  it.each([
    ['?next=%2Forganizations%2Facme', '/organizations/acme'],
    ['?next=%2Finvitations%2Finv_a%23token', '/invitations/inv_a#token'],
    ['', '/'],
    ['?next=https%3A%2F%2Felsewhere.example', '/'],
    ['?next=%2F%2Felsewhere.example', '/'],
    ['?next=%2F%5Celsewhere.example', '/'],
    ['?next=%2F%09%2Felsewhere.example', '/'],
    ['?next=%2Fsign-in%3Fnext%3D%2F', '/'],
  ])('turns %j into %s', (search, next) => {
    verifies('web.next-path')
    expect(readNext(search)).toBe(next)
  })
})
