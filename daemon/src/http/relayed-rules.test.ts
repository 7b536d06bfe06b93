import { expect, test } from 'vitest'
import type { ServiceScope } from '@svc/shared/wire/assertions.ts'
import { verifies } from '../../../test/requirements.ts'
import type { Caller } from '../entry/caller.ts'
import { relayedProblem } from './relayed-rules.ts'
import type { RelayedAccess } from './request-caller.ts'

const common = { iss: 'x', aud: 'dmn_x', org: 'org_x', iat: 0, exp: 1 }
const person = (role: 'admin' | 'member'): Caller => ({
  kind: 'person',
  claims: { ...common, sub: 'usr_x', vaults: ['a'], role, name: 'N', sid: 's' },
})
const service = (scope: ServiceScope): Caller => ({
  kind: 'service',
  claims: { ...common, act: { system: 's' }, scope },
})

test.each<[string, Caller, RelayedAccess[], string | undefined, string | undefined]>([
  ['a route that declares nothing', person('admin'), [], 'a', 'forbidden'],
  ['an entered person anywhere open', person('member'), ['entered'], undefined, undefined],
  ['a member in their vault', person('member'), ['vault-member'], 'a', undefined],
  ['a member in another vault', person('member'), ['vault-member'], 'b', 'forbidden'],
  ['a member without a vault', person('member'), ['vault-member'], undefined, 'forbidden'],
  ['a member where admins may', person('member'), ['vault-admin'], 'a', 'forbidden'],
  ['an admin where admins may', person('admin'), ['vault-admin'], 'a', undefined],
  ['an admin of another vault', person('admin'), ['vault-admin'], 'b', 'forbidden'],
  ['a person on a service route', person('admin'), ['service:vaults:list'], undefined, 'forbidden'],
  ['a service with its scope', service('flush'), ['vault-member', 'service:flush'], 'a', undefined],
  ['a service with another scope', service('vaults:list'), ['service:vaults:create'], undefined, 'forbidden'],
  ['a service on a person route', service('flush'), ['entered', 'vault-member'], 'a', 'forbidden'],
])('%s', (_name, caller, access, vaultId, expected) => {
  verifies('security.default-deny', 'security.service-scope')
  expect(relayedProblem({ caller, access, vaultId })?.code).toBe(expected)
})
