import { expect, test } from 'vitest'
import type { Role } from '@svc/shared/wire/assertions.ts'
import { verifies } from '../../../test/requirements.ts'
import type { NotedChange } from './changes.repository.ts'
import { maySee } from './may-see.ts'

const ours = 'org_ours'
const person = (role?: Role, isSystemAdmin = false) => ({
  userId: 'usr_me',
  roles: new Map(role === undefined ? [] : [[ours, role]]),
  isSystemAdmin,
})
const of = (topic: NotedChange['topic'], change: Partial<NotedChange> = {}): NotedChange => ({
  topic,
  orgId: ours,
  userId: null,
  ...change,
})
const outsider = person()
const member = person('member')
const admin = person('admin')
const systemAdmin = person(undefined, true)

test.each([
  ['members see a daemon change', of('daemon'), { outsider: false, member: true, admin: true, systemAdmin: true }],
  ['only admins see keys', of('keys'), { outsider: false, member: false, admin: true, systemAdmin: true }],
  ['another organization is closed', of('daemon', { orgId: 'org_other' }), { member: false, admin: false }],
  ['rollouts are for system admins', of('rollouts', { orgId: null }), { admin: false, systemAdmin: true }],
  ['the audit of the platform is for system admins', of('audit', { orgId: null }), { admin: false, systemAdmin: true }],
  ['an account is its own', of('account', { orgId: null, userId: 'usr_me' }), { outsider: true, systemAdmin: true }],
  [
    'no admin sees another account',
    of('account', { orgId: null, userId: 'usr_x' }),
    { admin: false, systemAdmin: false },
  ],
  ['whoever was removed learns it', of('members', { userId: 'usr_me' }), { outsider: true }],
])('%s', (_sentence, change, wanted: Record<string, boolean>) => {
  verifies('events.topics')
  const people = { outsider, member, admin, systemAdmin }
  for (const [name, sees] of Object.entries(wanted))
    expect(maySee(change, people[name as keyof typeof people]), name).toBe(sees)
})
