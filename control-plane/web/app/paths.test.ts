import { describe, expect, it } from 'vitest'
import { pathTo, readNext } from './paths.ts'
import { verifies } from '../../../test/requirements.ts'

describe('pathTo', () => {
  it('keeps whatever a name holds in its own part of the address', () => {
    expect(pathTo.organization('a b', 'host')).toBe('/organizations/a%20b/host')
    expect(pathTo.organization('acme')).toBe('/organizations/acme')
    expect(pathTo.open('a', 'x/y')).toBe('/open/a/x%2Fy/')
    expect(pathTo.adminAudit('a&b')).toBe('/admin/audit?chain=a%26b')
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
    ['?next=%2Fsign-in%2F', '/'],
    ['?next=%2Fsign-in%2Fcode%23a', '/'],
    ['?next=%2Fsign-in%2Flink', '/sign-in/link'],
  ])('turns %j into %s', (search, next) => {
    verifies('web.next-path')
    expect(readNext(search)).toBe(next)
  })
})
