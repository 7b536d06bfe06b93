import { expect, test } from 'vitest'
import { recordOfSetting } from './record-of-setting.ts'

test.each([
  [null, 'platform'],
  [0, 'never'],
  [600, '600_seconds'],
])('a setting of %s is named %s', (seconds, outcome) => {
  const given = { event: 'organization.idle_sleep_set', orgId: 'org_a', userId: 'usr_a', seconds } as const
  expect(recordOfSetting(given)).toMatchObject({ actor: { kind: 'user', id: 'usr_a' }, orgId: 'org_a', outcome })
})
