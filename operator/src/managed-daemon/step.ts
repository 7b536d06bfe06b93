import type { ManagedDaemonSpec } from '@svc/shared/wire/managed-daemon.ts'

/** A step at the runtime that keeps the daemon, whichever runtime it is. */
export type RuntimeStep =
  | { kind: 'ensure_fixtures'; reason: 'FixturesMissing' | 'FixturesDrifted' }
  | { kind: 'ensure_volume'; sizeBytes: number; reason: 'VolumeMissing' | 'VolumeOwnership' }
  | { kind: 'grow_volume'; sizeBytes: number; reason: 'VolumeTooSmall' }
  | { kind: 'add_key'; generation: number; reason: 'KeyMissing' }
  | { kind: 'add_first_key'; generation: number; reason: 'KeyMissing' }
  | { kind: 'make_key_current'; generation: number; reason: 'KeyAccepted' }
  | { kind: 'retire_keys'; current: number; reason: 'KeySuperseded' }
  | { kind: 'start_workload'; image: string; reason: 'Starting' }
  | { kind: 'roll_workload'; image: string; reason: 'Rolling' | 'RollingBack' }
  | { kind: 'renew_workload'; image: string; reason: 'Renewing' }
  | { kind: 'flush'; reason: 'FlushingBeforeStop' }
  | { kind: 'stop_workload'; reason: 'GoingToSleep' | 'ImageFailed' | 'Deleting' }
  | { kind: 'remove_children'; policy: ManagedDaemonSpec['deletionPolicy']; reason: 'Deleting' }

export type WaitReason =
  | 'KeyNotAccepted'
  | 'TunnelOnOldKey'
  | 'Starting'
  | 'ImageUnproven'
  | 'MachineNotReady'
  | 'MachineNotStopped'
  | 'RelayNotConnected'
  | 'VolumeNotGrown'
  | 'ChildrenNotGone'

/** A step of a plan: a step of the runtime, a wait, or the release of the resource. */
export type Step = RuntimeStep | { kind: 'wait'; reason: WaitReason } | { kind: 'release'; reason: 'ChildrenGone' }

/** Reason in the condition when a step of this kind fails. */
export const failureReasons = {
  ensure_fixtures: 'FixturesRefused',
  ensure_volume: 'VolumeRefused',
  grow_volume: 'GrowthRefused',
  add_key: 'KeyNotStored',
  add_first_key: 'KeyNotStored',
  make_key_current: 'KeyNotStored',
  retire_keys: 'KeyNotStored',
  start_workload: 'StartFailed',
  roll_workload: 'RollFailed',
  renew_workload: 'StartFailed',
  flush: 'FlushFailed',
  stop_workload: 'StopFailed',
  remove_children: 'RemovalFailed',
  release: 'RemovalFailed',
} as const satisfies Record<Exclude<Step['kind'], 'wait'>, string>

/** The runtime refuses the step for good: it cannot succeed without another spec. */
export class StepRefused extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'StepRefused'
  }
}
