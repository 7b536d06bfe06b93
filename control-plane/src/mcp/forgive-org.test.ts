import { expect, test } from 'vitest'
import { forgiveOrg } from './forgive-org.ts'

test.each<[string, unknown, unknown]>([
  ['nothing', undefined, {}],
  ['what is no object stays', ['acme'], ['acme']],
  ['its own name', { org: 'acme', vaultId: 'v' }, { org: 'acme', vaultId: 'v' }],
  ['other names', { organization_id: 'org_1', path: 'a.md' }, { org: 'org_1', path: 'a.md' }],
  ['another spelling', { Org: 'acme' }, { org: 'acme' }],
  ['its own name wins', { organization: 'other', org: 'acme' }, { organization: 'other', org: 'acme' }],
  ['null is left out', { org: null, orgId: 'org_1', vaultId: null }, { org: 'org_1' }],
])('%s', (_name, given, expected) => expect(forgiveOrg(given)).toEqual(expected))
