import { describe, expect, it } from 'vitest'
import { messageOf } from '@svc/shared/wire/daemon/condition-messages.ts'
import type { DaemonStatus } from '@svc/shared/wire/daemon/daemon-status.ts'
import {
  findCondition,
  ManagedDaemonStatus,
  type ConditionType,
  type ManagedDaemonSpec,
} from '@svc/shared/wire/managed-daemon.ts'
import { verifies } from '../../../test/requirements.ts'
import { reportFailure } from './conditions.ts'
import type { Children, Machine, Observed } from './observed.ts'
import { defaultLimits } from './plan-limits.ts'
import { markRefusal } from './plan-outcome.ts'
import { plan } from './plan.ts'

const GIB = 2 ** 30
const NOW = new Date('2026-11-21T10:00:00.000Z')
const OLD = 'registry.example/svcd@sha256:old'
const NEW = 'registry.example/svcd@sha256:new'
const BETWEEN = 'registry.example/svcd@sha256:between'

const spec: ManagedDaemonSpec = {
  orgId: 'org_aaaaaaaaaaaaaaaaaaaaaaaa',
  orgSlug: 'acme',
  image: OLD,
  desiredState: 'running',
  relay: { url: 'https://relay.example/t/org_aaaaaaaaaaaaaaaaaaaaaaaa', keyGeneration: 1, acceptedGeneration: 1 },
  storage: { size: '1Gi' },
  resources: { cpu: '500m', memory: '512Mi' },
  paused: false,
  deletionPolicy: 'retain',
}

const key = (generation: number) => ({ generation, hash: String(generation).repeat(64).slice(0, 64) })

const nothing: Children = { foreign: [], fixtures: 'absent', keys: { held: [] } }

const answer = (changes: Partial<DaemonStatus> = {}): DaemonStatus => ({
  version: '1.0.0',
  ready: true,
  relay: { connected: true, keyGeneration: 1 },
  storage: { usedBytes: 10_000_000, freeBytes: GIB },
  durableAsOf: NOW.toISOString(),
  ...changes,
})

const machine = (changes: Partial<Machine> = {}): Machine => ({
  id: 'org-a-0',
  image: OLD,
  state: 'ready',
  startedAt: new Date(NOW.getTime() - 10_000),
  readySince: new Date(NOW.getTime() - 10_000),
  daemon: answer(),
  ...changes,
})

const serving = (changes: Partial<Children> = {}): Children => ({
  foreign: [],
  fixtures: 'present',
  volume: { name: 'org-a-home', requestedBytes: GIB, capacityBytes: GIB, owned: false },
  keys: { held: [key(1)], current: 1 },
  workload: { name: 'org-a', image: OLD, running: true },
  machine: machine(),
  ...changes,
})

const changed = { ...serving().workload!, outdated: true }
const stuck = (changes: Partial<Machine>) =>
  machine({
    state: 'stuck',
    daemon: undefined,
    problem: { reason: 'Unschedulable', message: '', fatal: false },
    ...changes,
  })

const unpulled = { reason: 'ImageNotPulled', message: 'pull access denied', fatal: true }

const owned = { ...serving().volume!, owned: true }

const asleep = (changes: Partial<Children> = {}): Children =>
  serving({ workload: { name: 'org-a', image: OLD, running: false }, machine: undefined, ...changes })

type Case = {
  spec?: Partial<ManagedDaemonSpec>
  status?: Partial<ManagedDaemonStatus>
  children: Children
  image?: Observed['image']
  deleted?: true
}

function observed({ spec: changes, status, children, image, deleted }: Case): Observed {
  return {
    now: NOW,
    image: image ?? { state: 'allowed' },
    children,
    daemon: {
      name: 'org-aaaaaaaaaaaaaaaaaaaaaaaa',
      uid: 'u',
      resourceVersion: '1',
      generation: 1,
      createdAt: NOW.toISOString(),
      ...(deleted && { deletedAt: NOW.toISOString() }),
      spec: { ...spec, ...changes },
      status: { observedState: 'pending', conditions: [], ...status },
    },
  }
}

const planned = (given: Case) => plan(observed(given), defaultLimits)
const steps = (given: Case) =>
  planned(given).steps.map((step) => step.kind + (step.kind === 'wait' ? `:${step.reason}` : ''))
const condition = (given: Case, type: ConditionType) => findCondition(planned(given).status, type)

/** The status after the storage has refused the growth that is planned, or would be the next. */
function refuse(given: Case): ManagedDaemonStatus {
  const { steps, status } = planned(given)
  const step = steps.find(({ kind }) => kind === 'grow_volume')
  const growth = { kind: 'grow_volume', sizeBytes: 2 * GIB, reason: 'VolumeTooSmall' } as const
  const refused = step?.kind === 'grow_volume' ? step : growth
  return markRefusal(observed(given).daemon.spec, status, { step: refused, message: 'no quota' })
}

const served: ManagedDaemonStatus = {
  conditions: [],
  observedState: 'running',
  image: OLD,
  lastGoodImage: OLD,
  relay: { keys: [key(1)] },
}
const roll = { id: 'roll-0001', action: 'image_roll', epoch: 1 } as const
const rolling: Pick<Case, 'spec' | 'status'> = { spec: { image: NEW, operation: roll }, status: { ...served } }
const rolled = (changes: Partial<Machine>) =>
  serving({ workload: { name: 'org-a', image: NEW, running: true }, machine: machine({ image: NEW, ...changes }) })

/** A daemon that lost its tunnel while its key was rotated, to be rolled with another key. */
const stranded: Case = {
  spec: { image: NEW, operation: roll, relay: { ...spec.relay, keyGeneration: 3, acceptedGeneration: 2 } },
  status: { ...served, relay: { keys: [key(1), key(2)] } },
  children: serving({
    keys: { held: [key(1), key(2)], current: 2 },
    machine: machine({ daemon: answer({ relay: { connected: false } }) }),
  }),
}

const longAgo = new Date(NOW.getTime() - 3 * defaultLimits.startDeadlineMs)

describe('what to do next', () => {
  const cases: [string, Case, string[]][] = [
    [
      'makes everything but the workload for a new daemon, and waits for its key',
      { spec: { relay: { ...spec.relay, acceptedGeneration: 0 } }, children: nothing },
      ['ensure_fixtures', 'ensure_volume', 'add_first_key', 'wait:KeyNotAccepted'],
    ],
    [
      'starts no workload while the hash of the first key is not in the status',
      { children: serving({ keys: { held: [key(1)] }, workload: undefined, machine: undefined }) },
      ['wait:KeyNotAccepted', 'wait:KeyNotAccepted'],
    ],
    [
      'makes the first key current once its reported hash is accepted',
      {
        status: { relay: { keys: [key(1)] } },
        children: serving({ keys: { held: [key(1)] }, workload: undefined, machine: undefined }),
      },
      ['make_key_current', 'wait:KeyNotAccepted'],
    ],
    [
      'does not make a key current whose generation was accepted with another hash: it makes the next generation',
      {
        status: { relay: { keys: [key(2), { ...key(1), hash: 'f'.repeat(64) }] } },
        children: serving({ keys: { held: [key(1)] }, workload: undefined, machine: undefined }),
      },
      ['add_key', 'wait:KeyNotAccepted'],
    ],
    [
      'starts the workload when the key is current',
      { children: serving({ workload: undefined, machine: undefined }) },
      ['start_workload'],
    ],
    [
      'waits while the machine is not ready',
      { status: served, children: serving({ machine: machine({ state: 'starting', daemon: undefined }) }) },
      ['wait:MachineNotReady'],
    ],
    [
      'waits while the tunnel is not open',
      { status: served, children: serving({ machine: machine({ daemon: answer({ relay: { connected: false } }) }) }) },
      ['wait:RelayNotConnected'],
    ],
    [
      'waits until a new image has served for a moment',
      { ...rolling, children: rolled({ readySince: NOW }) },
      ['wait:ImageUnproven'],
    ],
    [
      'does not take an image for good that has just crashed',
      { ...rolling, children: rolled({ problem: { reason: 'Crashed', message: '', fatal: false } }) },
      ['wait:ImageUnproven'],
    ],
    [
      'does not take an image for good that gives no answer, whatever was known of the one before',
      {
        ...rolling,
        status: { ...served, conditions: planned({ status: served, children: serving() }).status.conditions },
        children: rolled({ daemon: undefined }),
      },
      ['wait:ImageUnproven'],
    ],
    ['does nothing for a daemon that is as desired', { status: served, children: serving() }, []],
    [
      'flushes before it stops a daemon that goes to sleep',
      { spec: { desiredState: 'sleeping' }, status: served, children: serving() },
      ['flush', 'stop_workload'],
    ],
    [
      'stops a broken daemon without asking it to flush',
      {
        spec: { desiredState: 'sleeping' },
        status: served,
        children: serving({ machine: machine({ state: 'starting', daemon: undefined }) }),
      },
      ['stop_workload'],
    ],
    [
      'waits until the machine of a stopped workload is gone',
      {
        spec: { desiredState: 'sleeping' },
        status: served,
        children: asleep({ machine: machine({ state: 'stopping' }) }),
      },
      ['wait:MachineNotStopped'],
    ],
    ['leaves a sleeping daemon alone', { spec: { desiredState: 'sleeping' }, status: served, children: asleep() }, []],
    ['wakes a sleeping daemon', { status: served, children: asleep() }, ['start_workload']],
    [
      'does not start beside a machine that is still stopping',
      { status: served, children: asleep({ machine: machine({ state: 'stopping' }) }) },
      ['wait:MachineNotStopped'],
    ],
    ['flushes, then rolls to another image', { ...rolling, children: serving() }, ['flush', 'roll_workload']],
    [
      'does not roll before the key of the roll is current',
      {
        spec: { image: NEW, operation: roll, relay: { ...spec.relay, keyGeneration: 2 } },
        status: served,
        children: serving(),
      },
      ['add_key', 'wait:KeyNotAccepted'],
    ],
    [
      'does not touch a machine that is being replaced',
      {
        ...rolling,
        children: serving({
          workload: { name: 'org-a', image: NEW, running: true },
          machine: machine({ state: 'stopping' }),
        }),
      },
      ['wait:MachineNotStopped'],
    ],
    [
      'starts with the present template when the cluster makes no pod from an earlier one',
      { status: served, children: serving({ workload: changed, machine: undefined }) },
      ['start_workload'],
    ],
    [
      'corrects the template of a pod that cannot start',
      { status: served, children: serving({ workload: changed, machine: stuck({ template: 'current' }) }) },
      ['renew_workload'],
    ],
    [
      'replaces a pod that cannot start and was made from an earlier template',
      { status: served, children: serving({ machine: stuck({ template: 'outdated' }) }) },
      ['renew_workload'],
    ],
    [
      'replaces no pod while it is not known which template it was made from',
      { status: served, children: serving({ machine: stuck({ template: 'unknown' }) }) },
      ['wait:MachineNotReady'],
    ],
    [
      'replaces no pod that cannot start with the present template either',
      { status: served, children: serving({ machine: stuck({ template: 'current' }) }) },
      ['wait:MachineNotReady'],
    ],
    [
      'leaves a pod alone that starts from an earlier template',
      {
        status: served,
        children: serving({
          workload: changed,
          machine: machine({ state: 'starting', daemon: undefined, template: 'outdated' }),
        }),
      },
      ['wait:MachineNotReady'],
    ],
    [
      'leaves a pod alone that runs from an earlier template',
      { status: served, children: serving({ workload: changed, machine: machine({ template: 'outdated' }) }) },
      [],
    ],
    [
      'corrects the template before the successor of a pod that goes is made',
      { status: served, children: serving({ workload: changed, machine: machine({ state: 'stopping' }) }) },
      ['renew_workload'],
    ],
    [
      'neither flushes nor stops what runs when somebody changed the image of its workload',
      { status: served, children: serving({ workload: { ...serving().workload!, image: NEW, outdated: true } }) },
      ['renew_workload'],
    ],
    [
      'goes on trying a first image whose registry does not give it out',
      { children: serving({ machine: stuck({ problem: { ...unpulled, external: true } }) }) },
      ['wait:MachineNotReady'],
    ],
    [
      'stops a first image that is no image',
      { children: serving({ machine: stuck({ problem: unpulled }) }) },
      ['stop_workload'],
    ],
    [
      'rolls back from an image whose registry does not give it out',
      { ...rolling, children: rolled({ ...stuck({ problem: { ...unpulled, external: true } }), image: NEW }) },
      ['roll_workload'],
    ],
    [
      'judges no image by a pod from an earlier template',
      {
        children: serving({
          workload: changed,
          machine: stuck({ problem: { reason: 'OutOfMemory', message: '', fatal: true } }),
        }),
      },
      ['renew_workload'],
    ],
    [
      'judges no image while it is not known which template its pod was made from',
      {
        children: serving({
          machine: stuck({ template: 'unknown', problem: { reason: 'OutOfMemory', message: '', fatal: true } }),
        }),
      },
      ['wait:MachineNotReady'],
    ],
    [
      'touches nothing for an image that is refused',
      { ...rolling, children: serving(), image: { state: 'refused', reason: 'ImageNotFound', message: 'no' } },
      [],
    ],
    [
      'rolls back from an image that keeps crashing',
      {
        ...rolling,
        children: rolled({
          state: 'starting',
          daemon: undefined,
          problem: { reason: 'Crashed', message: '', fatal: true },
        }),
      },
      ['roll_workload'],
    ],
    [
      'gives an image that crashed once another chance',
      {
        ...rolling,
        children: rolled({
          state: 'starting',
          daemon: undefined,
          problem: { reason: 'Crashed', message: '', fatal: false },
        }),
      },
      ['wait:MachineNotReady'],
    ],
    [
      'rolls back from an image that is not ready in time',
      {
        ...rolling,
        children: rolled({ state: 'starting', daemon: undefined, startedAt: new Date(NOW.getTime() - 301_000) }),
      },
      ['roll_workload'],
    ],
    [
      'rolls back from an image that does not reach the relay in time',
      {
        ...rolling,
        children: rolled({
          startedAt: new Date(NOW.getTime() - 301_000),
          daemon: answer({ relay: { connected: false } }),
        }),
      },
      ['roll_workload'],
    ],
    [
      'rolls back, without a flush that it may not answer, from an image that gives no answer for as long as a start takes',
      {
        ...rolling,
        status: {
          ...served,
          conditions: [
            {
              type: 'RelayConnected',
              status: 'Unknown',
              observedGeneration: 1,
              lastTransitionTime: longAgo.toISOString(),
              reason: 'NoAnswer',
              message: '',
            },
          ],
        },
        children: rolled({ startedAt: longAgo, daemon: undefined }),
      },
      ['roll_workload'],
    ],
    [
      'flushes an image that serves before it rolls back from one that never ran',
      {
        ...rolling,
        image: { state: 'refused', reason: 'ImageNotFound', message: 'no' },
        children: serving({ machine: machine({ image: BETWEEN, readySince: NOW }) }),
      },
      ['flush', 'roll_workload'],
    ],
    [
      'rolls back from no image for one lost answer, however late it comes',
      { ...rolling, children: rolled({ startedAt: longAgo, daemon: undefined }) },
      ['wait:RelayNotConnected'],
    ],
    [
      'never rolls back an image that has been good, however long it is broken',
      {
        status: served,
        children: serving({
          machine: machine({
            state: 'starting',
            daemon: undefined,
            startedAt: new Date(0),
            problem: { reason: 'Crashed', message: '', fatal: true },
          }),
        }),
      },
      ['wait:MachineNotReady'],
    ],
    [
      'stops a first image that cannot run',
      {
        children: serving({
          machine: machine({
            state: 'starting',
            daemon: undefined,
            problem: { reason: 'Crashed', message: '', fatal: true },
          }),
        }),
      },
      ['stop_workload'],
    ],
    [
      'does not try a failed image again for the same operation',
      {
        ...rolling,
        status: {
          ...served,
          failedRoll: { image: NEW, operationId: roll.id, reason: 'Crashed' },
          operation: { id: roll.id, outcome: 'failed', reason: 'Crashed' },
        },
        children: serving(),
      },
      [],
    ],
    [
      'does not try a failed image again because a key is rotated',
      {
        spec: { image: NEW, operation: { id: 'rotate-01', action: 'key_rotation', epoch: 2 } },
        status: { ...served, failedRoll: { image: NEW, operationId: roll.id, reason: 'Crashed' } },
        children: serving(),
      },
      [],
    ],
    [
      'tries a failed image again for another roll',
      {
        spec: { image: NEW, operation: { id: 'roll-0002', action: 'image_roll', epoch: 2 } },
        status: { ...served, failedRoll: { image: NEW, operationId: roll.id, reason: 'Crashed' } },
        children: serving(),
      },
      ['flush', 'roll_workload'],
    ],
    [
      'adds the next key beside the current one',
      { spec: { relay: { ...spec.relay, keyGeneration: 2 } }, status: served, children: serving() },
      ['add_key'],
    ],
    [
      'keeps the old key current until the next one is accepted',
      {
        spec: { relay: { ...spec.relay, keyGeneration: 2 } },
        status: { ...served, relay: { keys: [key(1), key(2)] } },
        children: serving({ keys: { held: [key(1), key(2)], current: 1 } }),
      },
      ['wait:KeyNotAccepted'],
    ],
    [
      'makes the accepted next key current',
      {
        spec: { relay: { ...spec.relay, keyGeneration: 2, acceptedGeneration: 2 } },
        status: { ...served, relay: { keys: [key(1), key(2)] } },
        children: serving({ keys: { held: [key(1), key(2)], current: 1 } }),
      },
      ['make_key_current'],
    ],
    [
      'keeps the old key while the tunnel still uses it',
      {
        spec: { relay: { ...spec.relay, keyGeneration: 2, acceptedGeneration: 2 } },
        status: served,
        children: serving({ keys: { held: [key(1), key(2)], current: 2 } }),
      },
      ['wait:TunnelOnOldKey'],
    ],
    [
      'retires the old key when the tunnel shows the new one',
      {
        spec: { relay: { ...spec.relay, keyGeneration: 2, acceptedGeneration: 2 } },
        status: served,
        children: serving({
          keys: { held: [key(1), key(2)], current: 2 },
          machine: machine({ daemon: answer({ relay: { connected: true, keyGeneration: 2 } }) }),
        }),
      },
      ['retire_keys'],
    ],
    [
      'retires the old key of a sleeping daemon at once',
      {
        spec: { desiredState: 'sleeping', relay: { ...spec.relay, keyGeneration: 2, acceptedGeneration: 2 } },
        status: served,
        children: asleep({ keys: { held: [key(1), key(2)], current: 2 } }),
      },
      ['retire_keys'],
    ],
    [
      'makes the next generation when the Secret is lost, and leaves the daemon that runs alone',
      { status: served, children: serving({ keys: { held: [] } }) },
      ['add_key', 'wait:KeyNotAccepted'],
    ],
    [
      'waits until the key after a lost Secret is accepted',
      {
        status: { ...served, relay: { keys: [key(2)] } },
        children: serving({ keys: { held: [key(2)] } }),
      },
      ['wait:KeyNotAccepted', 'wait:KeyNotAccepted'],
    ],
    [
      'makes the accepted key after a lost Secret current',
      {
        spec: { relay: { ...spec.relay, keyGeneration: 2, acceptedGeneration: 2 } },
        status: { ...served, relay: { keys: [key(2)] } },
        children: serving({ keys: { held: [key(2)] } }),
      },
      ['make_key_current', 'wait:KeyNotAccepted'],
    ],
    [
      'makes the next generation when somebody put another key in the place of the current one',
      { status: served, children: serving({ keys: { held: [{ ...key(1), hash: 'f'.repeat(64) }], current: 1 } }) },
      ['add_key'],
    ],
    [
      'replaces a next key that was never accepted',
      {
        spec: { relay: { ...spec.relay, keyGeneration: 3 } },
        status: served,
        children: serving({ keys: { held: [key(1), key(2)], current: 1 } }),
      },
      ['add_key'],
    ],
    [
      'adds no third key while the old one is in use',
      {
        spec: { relay: { ...spec.relay, keyGeneration: 3, acceptedGeneration: 2 } },
        status: served,
        children: serving({ keys: { held: [key(1), key(2)], current: 2 } }),
      },
      ['wait:TunnelOnOldKey'],
    ],
    [
      'rolls a daemon that will not show its new key: only another machine can',
      stranded,
      ['wait:TunnelOnOldKey', 'flush', 'roll_workload'],
    ],
    [
      'does not roll before a usable key is current: the one in the Secret is not the accepted one',
      {
        ...stranded,
        children: serving({
          keys: { held: [key(1), { ...key(2), hash: 'f'.repeat(64) }], current: 2 },
          machine: stranded.children.machine,
        }),
      },
      ['retire_keys', 'wait:KeyNotAccepted'],
    ],
    [
      'makes the next key once the machine of the roll shows the current one',
      {
        ...stranded,
        children: {
          ...rolled({ daemon: answer({ relay: { connected: true, keyGeneration: 2 } }) }),
          keys: { held: [key(2)], current: 2 },
        },
      },
      ['add_key'],
    ],
    [
      'retires the old key of a Secret from the middle of a rotation, for the relay has withdrawn the current one',
      {
        spec: { relay: { ...spec.relay, keyGeneration: 3, acceptedGeneration: 3 } },
        status: served,
        children: serving({
          keys: { held: [key(1), key(2)], current: 2 },
          machine: machine({ daemon: answer({ relay: { connected: false } }) }),
        }),
      },
      ['retire_keys', 'wait:RelayNotConnected'],
    ],
    [
      'then makes the key after the accepted one, beside the current one',
      {
        spec: { relay: { ...spec.relay, keyGeneration: 3, acceptedGeneration: 3 } },
        status: served,
        children: serving({
          keys: { held: [key(2)], current: 2 },
          machine: machine({ daemon: answer({ relay: { connected: false } }) }),
        }),
      },
      ['add_key', 'wait:RelayNotConnected'],
    ],
    [
      'grows the volume of a sleeping daemon',
      { spec: { desiredState: 'sleeping', storage: { size: '2Gi' } }, status: served, children: asleep() },
      ['grow_volume'],
    ],
    [
      'grows a volume past the limit of use',
      {
        spec: { storage: { size: '1Gi', autoGrow: { maxSize: '4Gi', abovePercent: 80 } } },
        status: served,
        children: serving({
          machine: machine({ daemon: answer({ storage: { usedBytes: 0.9 * GIB, freeBytes: 0.1 * GIB } }) }),
        }),
      },
      ['grow_volume'],
    ],
    [
      'grows a volume that is full though its files are fewer: the file system needs the rest',
      {
        spec: { storage: { size: '1Gi', autoGrow: { maxSize: '4Gi', abovePercent: 80 } } },
        status: served,
        children: serving({
          machine: machine({ daemon: answer({ storage: { usedBytes: 0.7 * GIB, freeBytes: 0 } }) }),
        }),
      },
      ['grow_volume'],
    ],
    [
      'grows the full volume of a sleeping daemon by what was last seen',
      {
        spec: { desiredState: 'sleeping', storage: { size: '1Gi', autoGrow: { maxSize: '4Gi', abovePercent: 80 } } },
        status: { ...served, storage: { capacityBytes: GIB, usedBytes: 0.9 * GIB } },
        children: asleep(),
      },
      ['grow_volume'],
    ],
    [
      'leaves a volume at its ceiling',
      {
        spec: { storage: { size: '1Gi', autoGrow: { maxSize: '1Gi', abovePercent: 80 } } },
        status: { ...served, storage: { capacityBytes: GIB, usedBytes: GIB } },
        children: serving({ machine: machine({ daemon: answer({ storage: { usedBytes: GIB, freeBytes: 0 } }) }) }),
      },
      [],
    ],
    [
      'never shrinks a volume',
      {
        status: served,
        children: serving({ volume: { name: 'v', requestedBytes: 2 * GIB, capacityBytes: 2 * GIB, owned: false } }),
      },
      [],
    ],
    [
      'waits for a volume in use to get its size',
      {
        spec: { storage: { size: '2Gi' } },
        status: served,
        children: serving({ volume: { name: 'v', requestedBytes: 2 * GIB, capacityBytes: GIB, owned: false } }),
      },
      ['wait:VolumeNotGrown'],
    ],
    [
      'binds the volume to the resource when it is to go with it',
      { spec: { deletionPolicy: 'delete' }, status: served, children: serving() },
      ['ensure_volume'],
    ],
    [
      'changes nothing while paused',
      { spec: { paused: true, desiredState: 'sleeping' }, status: served, children: serving() },
      [],
    ],
    [
      'changes nothing beside objects of others',
      { status: served, children: { ...nothing, foreign: ['Secret/org-a-relay'] } },
      [],
    ],
    [
      'flushes and stops a daemon that is deleted with its volume kept',
      { deleted: true, status: served, children: serving() },
      ['flush', 'stop_workload'],
    ],
    [
      'stops a daemon that is deleted with its volume',
      { deleted: true, spec: { deletionPolicy: 'delete' }, status: served, children: serving({ volume: owned }) },
      ['stop_workload'],
    ],
    [
      'takes a volume over before it deletes it with the daemon',
      { deleted: true, spec: { deletionPolicy: 'delete' }, status: served, children: serving() },
      ['ensure_volume'],
    ],
    [
      'lets a volume go before the daemon that owned it takes it along',
      { deleted: true, status: served, children: { ...nothing, volume: owned } },
      ['ensure_volume'],
    ],
    [
      'removes the children when nothing runs',
      { deleted: true, status: served, children: asleep() },
      ['remove_children'],
    ],
    [
      'lets the resource go with its volume kept',
      { deleted: true, status: served, children: { ...nothing, volume: serving().volume } },
      ['release'],
    ],
    [
      'keeps the resource until its volume is gone',
      {
        deleted: true,
        spec: { deletionPolicy: 'delete' },
        status: served,
        children: { ...nothing, volume: owned },
      },
      ['remove_children'],
    ],
  ]

  it.each(cases)('%s', (_sentence, given, expected) => {
    expect(steps(given)).toEqual(expected)
  })

  it('releases a resource without haste: until the watch tells, each pass would release it again', () => {
    const { requeueAfterMs } = planned({ deleted: true, status: served, children: { ...nothing } })
    expect(requeueAfterMs).toBe(defaultLimits.pollMs)
  })
})

describe('what it says', () => {
  const settled = {
    spec: { operation: roll, image: NEW },
    status: { ...served, operation: { id: roll.id, outcome: 'executing' } },
  } as const

  it('notes a new operation before anything is touched', () => {
    const { status, steps } = planned({ ...rolling, children: serving() })
    expect(status).toMatchObject({ operation: { id: roll.id, outcome: 'executing' }, lastGoodImage: OLD, image: OLD })
    expect(steps).not.toEqual([])
  })

  it('reports success when the new image is ready and connected', () => {
    const { status } = planned({ ...settled, children: rolled({}) })
    expect(status).toMatchObject({
      observedState: 'running',
      image: NEW,
      lastGoodImage: NEW,
      operation: { outcome: 'succeeded' },
    })
  })

  it('keeps a first image as soon as it serves, and one that is rolled out first when it has served for a while', () => {
    const fresh = serving({ machine: machine({ readySince: NOW }) })
    const provision = { id: 'provision-1', action: 'provision', epoch: 0 } as const
    expect(planned({ spec: { operation: provision }, children: fresh })).toMatchObject({
      steps: [],
      status: { lastGoodImage: OLD, operation: { outcome: 'succeeded' } },
    })
    expect(planned({ spec: { operation: roll }, children: fresh })).toMatchObject({
      steps: [{ kind: 'wait', reason: 'ImageUnproven' }],
      status: { operation: { outcome: 'executing' } },
    })
  })

  it('mounts a first key at once only where nothing runs that could dial with it', () => {
    const lost: Case = { status: served, children: asleep({ keys: { held: [] } }) }
    expect(planned(lost).steps[0]).toMatchObject({ kind: 'add_first_key', generation: 2 })
  })

  it('reports the failed image, its operation and why', () => {
    const broken = rolled({
      state: 'starting',
      daemon: undefined,
      problem: { reason: 'Crashed', message: 'x', fatal: true },
    })
    const { status } = planned({ ...settled, children: broken })
    expect(status).toMatchObject({
      lastGoodImage: OLD,
      failedRoll: { image: NEW, operationId: roll.id, reason: 'Crashed' },
      operation: { id: roll.id, outcome: 'failed', reason: 'Crashed' },
    })
    expect(findCondition(status, 'Degraded')).toMatchObject({ status: 'True', reason: 'OperationFailed' })
    expect(findCondition(status, 'ImageResolved')).toMatchObject({ status: 'False', reason: 'Crashed' })
  })

  it('says of a daemon that lost its tunnel during a rotation what is done, and that it has no tunnel', () => {
    expect(condition(stranded, 'Progressing')).toMatchObject({ status: 'True', reason: 'FlushingBeforeStop' })
    expect(condition(stranded, 'KeyRotated')).toMatchObject({ status: 'False', reason: 'TunnelOnOldKey' })
    for (const type of ['Ready', 'Degraded'] as const)
      expect(condition(stranded, type)).toMatchObject({ reason: 'RelayNotConnected' })
  })

  it('reports success of a roll only when its own key is in use', () => {
    const connected = { ...stranded, children: { ...rolled({}), keys: { held: [key(2)], current: 2 } } }
    expect(planned(connected).status).toMatchObject({ lastGoodImage: NEW, operation: { outcome: 'executing' } })
    const relay = { ...spec.relay, keyGeneration: 3, acceptedGeneration: 3 }
    const renewed: Case = {
      spec: { ...stranded.spec, relay },
      status: { ...served, relay: { keys: [key(3)] } },
      children: { ...rolled({}), keys: { held: [key(3)], current: 3 } },
    }
    expect(planned(renewed).status.operation).toEqual({ id: roll.id, outcome: 'succeeded' })
  })

  it('takes a new image that gives no answer for as long as a start may take for failed, and one that says no at once', () => {
    const mute = rolled({ startedAt: longAgo, daemon: undefined })
    const before = planned({ status: served, children: serving({ machine: machine({ state: 'stopping' }) }) }).status
    const { status } = planned({
      ...settled,
      status: { ...before, operation: settled.status.operation },
      children: mute,
    })
    expect(findCondition(status, 'RelayConnected')).toMatchObject({ status: 'Unknown', reason: 'NoAnswer' })
    const after = (ageMs: number, children: Children) => {
      const now = new Date(NOW.getTime() + ageMs)
      return plan({ ...observed({ ...settled, status, children }), now }, defaultLimits).status
    }
    const { startDeadlineMs } = defaultLimits
    expect(after(startDeadlineMs, mute).failedRoll).toBeUndefined()
    expect(after(startDeadlineMs + 1, mute).failedRoll).toMatchObject({ image: NEW, reason: 'RelayNotConnected' })
    const offline = rolled({ startedAt: longAgo, daemon: answer({ relay: { connected: false } }) })
    expect(after(1_000, offline).failedRoll).toMatchObject({ image: NEW, reason: 'RelayNotConnected' })
    expect(after(1_000, rolled({ startedAt: longAgo }))).toMatchObject({ lastGoodImage: NEW })
  })

  it('does not hide a sleeping daemon behind a green Ready', () => {
    const given: Case = { spec: { desiredState: 'sleeping' }, status: served, children: asleep() }
    expect(planned(given).status.observedState).toBe('sleeping')
    expect(condition(given, 'Ready')).toMatchObject({ status: 'False', reason: 'Asleep' })
    expect(condition(given, 'Sleeping')).toMatchObject({ status: 'True' })
  })

  it('repeats the reason of the first step in Progressing', () => {
    for (const children of [nothing, asleep(), serving({ machine: machine({ state: 'starting' }) })]) {
      const { steps, status } = planned({ children })
      expect(findCondition(status, 'Progressing')).toMatchObject({ status: 'True', reason: steps[0]?.reason })
    }
  })

  it('keeps the time of a condition whose status stays', () => {
    const since = '2026-01-01T00:00:00.000Z'
    const before = planned({ status: served, children: serving() }).status
    const conditions = before.conditions.map((each) => ({ ...each, lastTransitionTime: since }))
    const { status } = planned({ status: { ...before, conditions }, children: serving() })
    expect(new Set(status.conditions.map((each) => each.lastTransitionTime))).toEqual(new Set([since]))
  })

  it('says the same the second time, whatever was seen', () => {
    const worlds = [nothing, serving(), asleep(), rolled({}), serving({ machine: machine({ state: 'lost' }) })]
    for (const children of worlds)
      for (const desiredState of ['running', 'sleeping'] as const) {
        const first = planned({ spec: { desiredState, operation: roll }, children })
        const second = planned({ spec: { desiredState, operation: roll }, status: first.status, children })
        const third = planned({ spec: { desiredState, operation: roll }, status: second.status, children })
        expect(third.status).toEqual(second.status)
      }
  })

  it('reports of an accepted generation no other hash than the one that was accepted', () => {
    const stranger = { ...key(1), hash: 'f'.repeat(64) }
    const given = { status: served, children: serving({ keys: { held: [stranger, key(2)], current: 1 } }) }
    expect(planned(given).status.relay).toEqual({ keys: [key(1), key(2)] })
  })

  it('asks for the generation after the accepted one when the Secret is lost in the middle of a rotation', () => {
    const relay = { ...spec.relay, keyGeneration: 3, acceptedGeneration: 2 }
    const given = { spec: { relay }, status: served, children: serving({ keys: { held: [] } }) }
    expect(planned(given).steps[0]).toMatchObject({ kind: 'add_key', generation: 3 })
    const both = { ...given, spec: { relay: { ...relay, acceptedGeneration: 3 } } }
    expect(planned(both).steps[0]).toMatchObject({ kind: 'add_key', generation: 4 })
  })

  it('asks for the generation after the accepted one when a Secret with older keys only was restored', () => {
    const relay = { ...spec.relay, keyGeneration: 2, acceptedGeneration: 2 }
    const status = { ...served, relay: { keys: [key(2)] } }
    const children = serving({ keys: { held: [key(1)], current: 1 } })
    expect(planned({ spec: { relay }, status, children }).steps[0]).toMatchObject({ kind: 'add_key', generation: 3 })
  })

  it('writes nothing when a busy daemon uses a few bytes more', () => {
    const use = (usedBytes: number) =>
      serving({ machine: machine({ daemon: answer({ storage: { usedBytes, freeBytes: GIB } }) }) })
    const before = planned({ status: served, children: use(30_000_000) }).status
    expect(planned({ status: before, children: use(30_400_000) }).status).toEqual(before)
  })

  it('says nothing of a first start between ready and connected, and all of it when that takes too long', () => {
    const first = { ...served, image: undefined, lastGoodImage: undefined, version: undefined, storage: undefined }
    const status = { ...first, observedState: 'starting' as const }
    const coming = planned({
      status,
      children: serving({ machine: machine({ state: 'starting', daemon: undefined }) }),
    })
    for (const daemon of [undefined, answer({ relay: { connected: false } })])
      expect(planned({ status: coming.status, children: serving({ machine: machine({ daemon }) }) }).status).toEqual(
        coming.status,
      )
    const startedAt = new Date(NOW.getTime() - defaultLimits.startDeadlineMs - 1)
    const late = serving({ machine: machine({ startedAt, daemon: answer({ relay: { connected: false } }) }) })
    expect(planned({ status: coming.status, children: late }).status).toMatchObject({
      observedState: 'degraded',
      image: OLD,
      version: '1.0.0',
    })
  })

  it('takes one lost answer of a ready daemon for no news', () => {
    const before = planned({ status: served, children: serving() }).status
    const mute = serving({ machine: machine({ daemon: undefined }) })
    expect(planned({ status: before, children: mute }).status).toEqual(before)
  })

  it('calls a daemon that lost its tunnel degraded, and one that starts starting', () => {
    const cutOff = serving({ machine: machine({ daemon: answer({ relay: { connected: false } }) }) })
    expect(planned({ status: served, children: cutOff }).status.observedState).toBe('degraded')
    expect(planned({ status: { ...served, observedState: 'starting' }, children: cutOff }).status.observedState).toBe(
      'starting',
    )
  })

  it('reports a lost node and does not start a second writer', () => {
    const given = { status: served, children: serving({ machine: machine({ state: 'lost', daemon: undefined }) }) }
    expect(condition(given, 'Degraded')).toMatchObject({ status: 'True', reason: 'NodeLost' })
    expect(steps(given)).toEqual(['wait:MachineNotReady'])
    // Its network may live although its kubelet does not: nobody asked it.
    expect(condition(given, 'RelayConnected')).toMatchObject({ status: 'Unknown', reason: 'NoAnswer' })
  })

  it('keeps a failure in the status until the step has worked', () => {
    const given = { spec: { desiredState: 'sleeping' }, status: served, children: serving() } as const
    const first = planned(given)
    const flush = { kind: 'flush', reason: 'FlushingBeforeStop' } as const
    const failed = reportFailure(observed(given), first.status, { step: flush, message: 'disk full' })
    expect(findCondition(failed, 'Degraded')).toMatchObject({
      status: 'True',
      reason: 'FlushFailed',
      message: 'disk full',
    })
    expect(planned({ ...given, status: failed }).status).toEqual(failed)
    expect(findCondition(planned({ ...given, status: failed, children: asleep() }).status, 'Degraded')?.status).toBe(
      'False',
    )
  })

  it('fails the operation of a growth that the storage refuses, and does not ask again', () => {
    const grow = { id: 'grow-0001', action: 'storage_grow', epoch: 1 } as const
    const given: Case = { spec: { operation: grow, storage: { size: '2Gi' } }, status: served, children: serving() }
    const refused = refuse(given)
    expect(refused.operation).toEqual({ id: grow.id, outcome: 'failed', reason: 'GrowthRefused', message: 'no quota' })
    expect(steps({ ...given, status: refused })).toEqual([])
    expect(condition({ ...given, status: refused }, 'Degraded')?.message).toMatch(
      /quota and its storage class. no quota$/,
    )
  })

  it('asks again for a refused size for another growth alone, and fails no other operation by it', () => {
    const grow = { id: 'grow-0001', action: 'storage_grow', epoch: 1 } as const
    const storage = { size: '2Gi' }
    const refused = refuse({ spec: { operation: grow, storage }, status: served, children: serving() })
    const next = (operation: NonNullable<ManagedDaemonSpec['operation']>): Case => ({
      spec: { operation, storage },
      status: refused,
      children: serving(),
    })
    const rotation = next({ id: 'rotate-01', action: 'key_rotation', epoch: 2 })
    expect(planned(rotation)).toMatchObject({ steps: [], status: { operation: { outcome: 'succeeded' } } })
    expect(refuse(rotation).operation).toEqual({ id: 'rotate-01', outcome: 'succeeded' })
    expect(condition(rotation, 'Degraded')).toMatchObject({ status: 'True', reason: 'GrowthRefused' })

    const again = next({ ...grow, id: 'grow-0002' })
    expect(steps(again)).toEqual(['grow_volume'])
    expect(planned(again).status.failedGrowth).toBeUndefined()
    const volume = { ...serving().volume!, requestedBytes: 2 * GIB, capacityBytes: 2 * GIB }
    expect(planned({ ...rotation, children: serving({ volume }) }).status.failedGrowth).toBeUndefined()
  })

  it('ends no operation but a growth by the size that a volume still lacks', () => {
    const after = (action: NonNullable<ManagedDaemonSpec['operation']>['action'], requestedBytes: number) => {
      const spec: Case['spec'] = { storage: { size: '2Gi' }, operation: { id: 'next-0001', action, epoch: 2 } }
      const volume = { ...serving().volume!, requestedBytes }
      return planned({ spec, status: served, children: serving({ volume }) })
    }
    for (const [requestedBytes, step] of [
      [2 * GIB, { kind: 'wait', reason: 'VolumeNotGrown' }],
      // A definition that is older than the operator keeps no refusal, so the growth is planned in each pass.
      [GIB, { kind: 'grow_volume', reason: 'VolumeTooSmall' }],
    ] as const) {
      const planning = { steps: [step] }
      const growth = after('storage_grow', requestedBytes)
      expect(growth).toMatchObject({ ...planning, status: { operation: { outcome: 'executing' } } })
      for (const action of ['key_rotation', 'image_roll', 'reinstall'] as const)
        expect(after(action, requestedBytes)).toMatchObject({
          ...planning,
          status: { operation: { outcome: 'succeeded' } },
        })
    }
  })

  it('reports a pod that the cluster does not create, and takes it for a failure of a new image', () => {
    const without = (ageMs: number, image: string) => {
      const noMachine = { since: new Date(NOW.getTime() - ageMs), message: 'No pod since ten.' }
      return serving({ workload: { name: 'org-a', image, running: true, noMachine }, machine: undefined })
    }
    const { startDeadlineMs } = defaultLimits
    expect(planned({ status: served, children: without(startDeadlineMs, OLD) }).status.observedState).toBe('starting')
    const late: Case = { status: served, children: without(startDeadlineMs + 1, OLD) }
    expect(planned(late).status.observedState).toBe('degraded')
    expect(condition(late, 'Degraded')).toMatchObject({ reason: 'PodNotCreated', message: 'No pod since ten.' })
    expect(steps(late)).toEqual(['wait:MachineNotReady'])

    expect(steps({ ...rolling, children: without(startDeadlineMs, NEW) })).toEqual(['wait:MachineNotReady'])
    const failed: Case = { ...rolling, children: without(startDeadlineMs + 1, NEW) }
    expect(planned(failed)).toMatchObject({
      steps: [{ kind: 'start_workload', image: OLD }],
      status: { operation: { outcome: 'failed', reason: 'PodNotCreated', message: 'No pod since ten.' } },
    })
  })

  it('says what to do while a node does not get the image', () => {
    const given: Case = { children: serving({ machine: stuck({ problem: { ...unpulled, external: true } }) }) }
    expect(planned(given).status.observedState).toBe('degraded')
    const { reason, message } = condition(given, 'Degraded') ?? {}
    expect(reason).toBe('ImageNotPulled')
    expect(message).toMatch(/pull secret .* tries again\. pull access denied/)
  })

  it('says of a failed image what the runtime said', () => {
    const problem = { reason: 'ImageNotPulled', message: 'pull access denied', fatal: true }
    const given: Case = { ...settled, children: rolled({ state: 'starting', daemon: undefined, problem }) }
    expect(planned(given).status).toMatchObject({
      failedRoll: { reason: 'ImageNotPulled', message: 'pull access denied' },
      operation: { reason: 'ImageNotPulled', message: 'pull access denied' },
    })
    expect(condition(given, 'Degraded')?.message).toBe(
      `${NEW} failed: The node does not get the image from its registry. pull access denied`,
    )
    const long = { ...problem, message: 'x'.repeat(5_000) }
    const { status } = planned({
      ...settled,
      children: rolled({ state: 'starting', daemon: undefined, problem: long }),
    })
    expect(ManagedDaemonStatus.safeParse(status).success).toBe(true)
  })

  it.each([
    'ImageNotPulled',
    'GrowthRefused',
    'Unschedulable',
    'ContainerRefused',
    'PodFailed',
    'PodNotCreated',
    'OperationFailed',
  ])('has a sentence for %s', (reason) => expect(messageOf(reason)).toContain(' '))
})

describe('a volume that may grow', () => {
  const used = (share: number, maxSize: string): Case => ({
    spec: { storage: { size: '1Gi', autoGrow: { maxSize, abovePercent: 80 } } },
    status: served,
    children: serving({
      machine: machine({ daemon: answer({ storage: { usedBytes: share * GIB, freeBytes: (1 - share) * GIB } }) }),
    }),
  })
  it.each<[string, Case, number]>([
    ['is looked at rarely while it is nearly empty', used(0.3, '4Gi'), 60_000],
    ['is looked at often while it fills', used(0.5, '4Gi'), 5_000],
    ['is looked at rarely at its ceiling', used(0.9, '1Gi'), 60_000],
  ])('%s', (_what, given, wanted) => {
    const { requeueAfterMs, steps } = planned(given)
    expect([steps, requeueAfterMs]).toEqual([[], wanted])
  })

  it('is tried again rarely after a refusal, and nothing waits for it', () => {
    const full = used(0.9, '4Gi')
    const given: Case = { ...full, spec: { ...full.spec, operation: roll }, status: refuse(full) }
    expect(planned(given)).toMatchObject({
      steps: [{ kind: 'grow_volume', sizeBytes: 1.5 * GIB }],
      requeueAfterMs: defaultLimits.steadyMs,
      status: { operation: { outcome: 'succeeded' }, failedGrowth: { sizeBytes: 1.5 * GIB } },
    })
    expect(condition(given, 'Progressing')).toMatchObject({ status: 'False' })
    // A roll does not wait for it either.
    expect(steps({ ...given, spec: { ...given.spec, image: NEW } })).toEqual(['flush', 'roll_workload'])
  })

  const grow = { id: 'grow-0001', action: 'storage_grow', epoch: 1 } as const
  /** A volume of 1 GiB for which somebody asked for a size, after the storage refused another. */
  const asked = (share: number, size: string, refusedGrowth: ManagedDaemonStatus['failedGrowth']): Case => ({
    ...used(share, '1000Gi'),
    spec: { storage: { size, autoGrow: { maxSize: '1000Gi', abovePercent: 80 } }, operation: grow },
    status: { ...served, failedGrowth: refusedGrowth },
  })
  const volumeOf = (bytes: number) => ({ ...serving().volume!, requestedBytes: bytes, capacityBytes: bytes })

  it('grows to the size that is asked for before it grows by itself', () => {
    const given = asked(0.85, '1200Mi', { sizeBytes: 1.5 * GIB })
    expect(planned(given).steps).toEqual([{ kind: 'grow_volume', sizeBytes: 1200 * 2 ** 20, reason: 'VolumeTooSmall' }])
  })

  it('fails no growth that was done by a further one that is refused', () => {
    const given = asked(0.99, '1200Mi', undefined)
    const grown = { ...given, children: { ...given.children, volume: volumeOf(1200 * 2 ** 20) } }
    expect(planned(grown).steps).toMatchObject([{ kind: 'grow_volume', sizeBytes: 1800 * 2 ** 20 }])
    const status = refuse(grown)
    expect(status.operation).toEqual({ id: grow.id, outcome: 'executing' })
    expect(planned({ ...grown, status }).status.operation).toEqual({ id: grow.id, outcome: 'succeeded' })
  })

  it('goes on by itself below a size that was refused', () => {
    const given = asked(0.9, '1000Gi', { sizeBytes: 1000 * GIB, operationId: grow.id })
    expect(planned(given)).toMatchObject({
      steps: [{ kind: 'grow_volume', sizeBytes: 1.5 * GIB }],
      status: { failedGrowth: { sizeBytes: 1000 * GIB } },
    })
    const later = { ...given, status: refuse(given) }
    expect(planned(later)).toMatchObject({
      steps: [{ kind: 'grow_volume', sizeBytes: 1.5 * GIB }],
      requeueAfterMs: defaultLimits.steadyMs,
    })
    expect(planned(asked(0.5, '1000Gi', given.status?.failedGrowth)).requeueAfterMs).toBe(5_000)
    expect(refuse(later).failedGrowth).toEqual(later.status.failedGrowth)
  })

  it('tries a size that was refused again, rarely, once it is due anyhow', () => {
    const given = asked(0.9, '1536Mi', { sizeBytes: 1.5 * GIB, operationId: grow.id })
    const again = { steps: [{ kind: 'grow_volume', sizeBytes: 1.5 * GIB }], requeueAfterMs: defaultLimits.steadyMs }
    expect(planned(given)).toMatchObject(again)
    expect(planned(asked(0.5, '1536Mi', given.status?.failedGrowth)).steps).toEqual([])
  })

  it('does not try a size that was refused again because a larger one is refused, too', () => {
    const given = asked(0.9, '1200Mi', { sizeBytes: 1200 * 2 ** 20, operationId: grow.id, message: 'no quota' })
    const again = { steps: [{ kind: 'grow_volume', sizeBytes: 1.5 * GIB }], requeueAfterMs: defaultLimits.steadyMs }
    expect(planned(given)).toMatchObject(again)
    const status = refuse(given)
    expect(status.failedGrowth).toEqual(given.status?.failedGrowth)
    expect(planned({ ...given, status })).toMatchObject(again)
  })

  it('grows to a smaller size that is asked for instead of the one that was refused', () => {
    const given = asked(0.5, '1200Mi', { sizeBytes: 1000 * GIB, operationId: 'grow-0000' })
    expect(planned(given)).toMatchObject({ steps: [{ kind: 'grow_volume', sizeBytes: 1200 * 2 ** 20 }] })
    expect(planned(given).status.failedGrowth).toBeUndefined()
  })

  it('forgets a refused growth that is not needed any more, but not one that somebody asked for', () => {
    const full = used(0.9, '4Gi')
    const refused = { ...full, status: planned({ ...full, status: refuse(full) }).status }
    expect(condition(refused, 'Degraded')).toMatchObject({ status: 'True', reason: 'GrowthRefused' })
    for (const eased of [used(0.5, '4Gi'), used(0.9, '1Gi')]) {
      const given = { ...eased, status: refused.status }
      expect(planned(given).status.failedGrowth).toBeUndefined()
      expect(condition(given, 'Degraded')).toMatchObject({ status: 'False' })
    }
    const given = asked(0.5, '1200Mi', { sizeBytes: 1200 * 2 ** 20, operationId: grow.id })
    expect(planned(given)).toMatchObject({ steps: [], status: { failedGrowth: given.status?.failedGrowth } })
    expect(condition(given, 'Degraded')).toMatchObject({ status: 'True', reason: 'GrowthRefused' })
  })
})

describe('what it waits for', () => {
  const waiting = (changes: Partial<Machine>, generation = 1) => {
    const given = observed({
      status: served,
      children: serving({
        machine: machine({ state: 'starting', readySince: undefined, daemon: undefined, ...changes }),
      }),
    })
    return plan({ ...given, daemon: { ...given.daemon, generation } }, defaultLimits).waitsFor
  }

  it('is the same until the spec or the machine changes', () => {
    verifies('operator.dead-node-apart')
    const before = waiting({})
    expect(before).toBeDefined()
    expect(waiting({})).toBe(before)
    const changed = [
      waiting({}, 2),
      waiting({ state: 'ready' }),
      waiting({ startedAt: NOW }),
      waiting({ problem: { reason: 'Crashed', message: '1 restarts', fatal: false } }),
    ]
    expect(new Set([before, ...changed]).size).toBe(5)
  })

  it('is nothing for a daemon that is as desired, or for which something is done', () => {
    for (const given of [
      { status: served, children: serving() },
      { ...rolling, children: serving() },
    ])
      expect(planned(given).waitsFor).toBeUndefined()
  })
})

describe('a volume that is gone', () => {
  const gone = (changes: Partial<Children> = {}) => serving({ volume: undefined, ...changes })
  const pending = machine({
    state: 'starting',
    readySince: undefined,
    daemon: undefined,
    problem: { reason: 'Unschedulable', message: 'no claim', fatal: false },
  })
  const sleeps: Case = {
    spec: { desiredState: 'sleeping' },
    status: { ...served, observedState: 'sleeping' },
    children: asleep({ volume: undefined }),
  }

  it('is made while the daemon has never served, and never again', () => {
    verifies('operator.volume-lost')
    const first = { children: asleep({ volume: undefined }) }
    expect(steps(first)[0]).toBe('ensure_volume')
    expect(
      steps({ ...first, status: { observedState: 'starting', storage: { capacityBytes: GIB, usedBytes: 0 } } })[0],
    ).toBe('ensure_volume')
    for (const given of [
      sleeps,
      { status: served, children: asleep({ volume: undefined }) },
      { status: served, children: gone({ machine: pending }) },
      { status: served, children: { ...nothing } },
      { ...rolling, children: asleep({ volume: undefined }) },
    ])
      expect(planned(given)).toMatchObject({ steps: [], requeueAfterMs: defaultLimits.steadyMs })
  })

  it('is reported as failed, with what to do', () => {
    verifies('operator.volume-lost')
    for (const given of [sleeps, { status: served, children: gone({ machine: pending }) }]) {
      expect(planned(given).status.observedState).toBe('failed')
      expect(condition(given, 'Degraded')).toMatchObject({ status: 'True', reason: 'VolumeLost' })
      expect(condition(given, 'Degraded')?.message).toMatch(/reinstall/)
      expect(condition(given, 'Progressing')).toMatchObject({ status: 'False', reason: 'VolumeLost' })
      const again = { ...given, status: planned(given).status }
      expect(planned(again).status).toEqual(again.status)
    }
  })

  it('stops no daemon that still serves from it: it has the only copy', () => {
    verifies('operator.volume-lost')
    for (const spec of [{}, { desiredState: 'sleeping' }, { image: NEW, operation: roll }] as const) {
      const given = { spec, status: served, children: gone() }
      expect(planned(given)).toMatchObject({ steps: [], status: { observedState: 'running' } })
      expect(condition(given, 'Degraded')).toMatchObject({ status: 'True', reason: 'VolumeLost' })
    }
  })

  it('stops no daemon whose volume is being deleted: the volume goes with the pod', () => {
    verifies('operator.volume-lost')
    const going = { ...serving().volume!, going: true }
    for (const spec of [{}, { desiredState: 'sleeping' }, { image: NEW, operation: roll }] as const) {
      const given = { spec, status: served, children: serving({ volume: going }) }
      expect(planned(given)).toMatchObject({ steps: [], status: { observedState: 'running' } })
      expect(condition(given, 'Degraded')).toMatchObject({ status: 'True', reason: 'VolumeLost' })
      expect(condition(given, 'Degraded')?.message).toMatch(/backup/)
    }
    const restarting = { status: served, children: serving({ volume: going, machine: pending }) }
    expect(planned(restarting)).toMatchObject({ steps: [], status: { observedState: 'degraded' } })
    const unused = { ...sleeps, spec: {}, children: asleep({ volume: going }) }
    expect(planned(unused)).toMatchObject({ steps: [], status: { observedState: 'failed' } })
    expect(condition(unused, 'Degraded')).toMatchObject({ status: 'True', reason: 'VolumeLost' })
    expect(steps({ deleted: true, status: served, children: serving({ volume: going }) })).toContain('stop_workload')
  })

  it('fails operations at once; a roll is not made up for when the volume is back', () => {
    const given: Case = { ...rolling, children: asleep({ volume: undefined }) }
    const { status } = planned(given)
    expect(status.operation).toEqual({ id: roll.id, outcome: 'failed', reason: 'VolumeLost' })
    expect(planned({ ...given, status, children: asleep() }).steps).toEqual([
      { kind: 'start_workload', image: OLD, reason: 'Starting' },
    ])
    const grow = { id: 'grow-0001', action: 'storage_grow', epoch: 1 } as const
    expect(planned({ ...sleeps, spec: { operation: grow } }).status.operation).toMatchObject({ outcome: 'failed' })
  })

  it('that comes back is used as before', () => {
    const { status } = planned(sleeps)
    const back = { ...sleeps, status, children: asleep() }
    expect(planned(back)).toMatchObject({ steps: [], status: { observedState: 'sleeping' } })
    expect(condition(back, 'Degraded')).toMatchObject({ status: 'False' })
  })

  it('holds up no deletion', () => {
    const given = { deleted: true, status: served, children: gone({ machine: pending }) } as const
    expect(steps(given)).toEqual(['stop_workload'])
    expect(steps({ ...given, children: { ...nothing } })).toEqual(['release'])
  })
})
