import { describe, expect, test } from 'vitest'
import { initialStatus, managedDaemonName, type ManagedDaemon } from '@svc/shared/wire/managed-daemon.ts'
import { verifies } from '../../../test/requirements.ts'
import { decideDaemonStep, type DaemonRecord } from './decide-daemon-step.ts'

const orgId = 'org_abcdefghijklmnopqrstuvwx'
const hash = 'a'.repeat(64)
type Change = {
  uid?: string
  orgId?: string
  deletedAt?: string
  accepted?: number
  wanted?: number
  keys?: { generation: number; hash: string }[]
  observed?: 'pending' | 'starting' | 'running'
  policy?: 'retain' | 'delete'
}

const resource = ({ accepted = 0, wanted = 1, keys = [], observed = 'pending', ...change }: Change): ManagedDaemon => ({
  name: managedDaemonName(orgId),
  uid: change.uid ?? 'uid-1',
  resourceVersion: '1',
  generation: 1,
  createdAt: '2026-01-01T00:00:00.000Z',
  ...(change.deletedAt === undefined ? {} : { deletedAt: change.deletedAt }),
  spec: {
    orgId: change.orgId ?? orgId,
    orgSlug: 'acme',
    image: 'registry.example.net/svcd:1',
    desiredState: 'running',
    relay: { url: 'https://example.net/t/x', keyGeneration: wanted, acceptedGeneration: accepted },
    storage: { size: '5Gi' },
    resources: { cpu: '500m', memory: '512Mi' },
    paused: false,
    deletionPolicy: change.policy ?? 'retain',
  },
  status: { ...initialStatus, observedState: observed, relay: { keys } },
})
const record = (state: DaemonRecord['state'], uid: string | null = 'uid-1', keyGeneration = 1): DaemonRecord => ({
  orgId,
  state,
  uid,
  keyGeneration,
  hasRun: state === 'active',
  removalBegun: false,
})
const removing = (uid: string | null = 'uid-1') => ({ ...record('deleting', uid), removalBegun: true })
const deletedAt = '2026-01-02T00:00:00Z'
const keys = [
  { generation: 2, hash },
  { generation: 1, hash },
]

describe('every state that a crash can leave', () => {
  verifies('cp.provision-crash', 'operator.resource-believed')
  const rows: [string, DaemonRecord, ManagedDaemon | undefined, string][] = [
    ['nothing but the lease: creates', record('provisioning', null), undefined, 'create'],
    ['created, not recorded: records', record('provisioning', null), resource({}), 'record_uid'],
    ['recorded, no key yet: waits', record('provisioning'), resource({}), 'wait'],
    [
      'a key is reported: accepts it',
      record('provisioning'),
      resource({ keys: [{ generation: 1, hash }] }),
      'accept_key',
    ],
    [
      'accepted, still starting: waits',
      record('provisioning'),
      resource({ accepted: 1, observed: 'starting' }),
      'wait',
    ],
    ['running: activates', record('provisioning'), resource({ accepted: 1, observed: 'running' }), 'activate'],
    ['active and nothing to do', record('active'), resource({ accepted: 1, observed: 'running' }), 'done'],
    ['active, a rotated key: accepts it', record('active'), resource({ accepted: 1, wanted: 2, keys }), 'accept_key'],
    [
      'a lost Secret, the key made in its place: accepts it',
      record('active'),
      resource({ accepted: 1, wanted: 1, keys: [{ generation: 2, hash }] }),
      'accept_key',
    ],
    [
      'a key that neither a request nor a lost Secret explains is ignored',
      record('active'),
      resource({ accepted: 1, wanted: 1, keys: [{ generation: 3, hash }] }),
      'done',
    ],
    ['deletion, resource there: removes', record('deleting'), resource({}), 'remove'],
    ['deletion before anything was made: finishes', record('deleting', null), undefined, 'finish_deletion'],
    ['deletion, resource going: waits', removing(), resource({ deletedAt, policy: 'delete' }), 'wait'],
    ['deletion, resource going without its volume: removes', removing(), resource({ deletedAt }), 'remove'],
    [
      'deletion, resource going, but not recorded: removes',
      record('deleting'),
      resource({ deletedAt, policy: 'delete' }),
      'remove',
    ],
    ['deletion, resource gone: finishes', removing(), undefined, 'finish_deletion'],
    ['deletion, resource lost: creates it to remove it', record('deleting'), undefined, 'create_to_remove'],
    [
      'deletion, resource lost and its reinstallation begun: creates it to remove it',
      { ...record('deleting', null), hasRun: true },
      undefined,
      'create_to_remove',
    ],
    [
      'deletion, the resource that was created to be removed: removes',
      record('deleting'),
      resource({ uid: 'uid-2', policy: 'delete' }),
      'remove',
    ],
    ['another uid is not believed', record('provisioning'), resource({ uid: 'uid-2' }), 'distrust'],
    ['another organization is not believed', record('active'), resource({ orgId: 'org_other' }), 'distrust'],
    ['a vanished resource is lost, and not made anew', record('active'), undefined, 'lost'],
    ['nor while it is provisioned', record('provisioning'), undefined, 'lost'],
    ['nor is another one removed in its place', record('deleting'), resource({ uid: 'uid-2' }), 'distrust'],
  ]
  test.each(rows)('%s', (_, known, found, kind) => expect(decideDaemonStep(known, found).kind).toBe(kind))
})

test.each([
  ['the key of its last rotation', 2, 1, [2], 2],
  ['a key that replaced a lost one', 1, 1, [2], 2],
  ['all of its keys', 3, 0, [2, 3], 2],
  ['one, and a rotation is under way', 2, 1, [2, 3], 2],
  ['none, and a rotation is under way', 2, 2, [2, 3], 3],
  ['none', 3, 3, [3], undefined],
])('a database from before lacks %s', (_, accepted, stored, generations, expected) => {
  verifies('operator.key-known-again')
  const found = resource({
    accepted,
    wanted: Math.max(accepted, ...generations.filter((each) => each > 2)),
    keys: generations.map((generation) => ({ generation, hash })),
    observed: 'running',
  })
  const step = decideDaemonStep(record('active', 'uid-1', stored), found)
  expect(step).toEqual(expected === undefined ? { kind: 'done' } : { kind: 'accept_key', generation: expected, hash })
})

test('of two reported keys the older one comes first', () => {
  expect(decideDaemonStep(record('active'), resource({ wanted: 2, keys }))).toEqual({
    kind: 'accept_key',
    generation: 1,
    hash,
  })
})
