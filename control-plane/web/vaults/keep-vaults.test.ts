import { expect, test } from 'vitest'
import type { OrganizationVaults } from '../answers.ts'
import { keepVaults } from './keep-vaults.ts'

const vaults = [{ id: 'v' }] as OrganizationVaults['vaults']
const one: Pick<OrganizationVaults, 'orgId' | 'state' | 'vaults'> = { orgId: 'org_1', state: 'available', vaults }

test('known vaults stay while their daemon does not respond, whatever the reason', () => {
  for (const state of ['failed', 'sleeping', 'starting', 'offline'] as const)
    expect(keepVaults([one], [{ ...one, state, vaults: [] }])).toEqual([{ ...one, state }])
})

test('vaults that a daemon no longer lists go, and so do organizations', () => {
  expect(keepVaults([one], [{ ...one, vaults: [] }])).toEqual([{ ...one, vaults: [] }])
  expect(keepVaults([one], [])).toEqual([])
  expect(keepVaults(undefined, [one])).toEqual([one])
})
