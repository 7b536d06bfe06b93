import type { DaemonStatus } from '@svc/shared/wire/daemon/daemon-status.ts'
import type { ManagedDaemon } from '@svc/shared/wire/managed-daemon.ts'

/** Whether an image may run. `refused` is final: the same reference will not do better later. */
export type ImageVerdict =
  { state: 'allowed' } | { state: 'refused'; reason: 'ImageNotAllowed' | 'ImageNotFound'; message: string }

/** Why a machine does not come up. A fatal problem fails a roll at once; another one only time can fail. */
export type MachineProblem = { reason: string; message: string; fatal: boolean }

/** The one process or pod of a daemon. */
export type Machine = {
  /** Stable name: a roll keeps it. */
  id: string
  image: string
  /** `lost`: the node does not answer, so nobody knows. */
  state: 'starting' | 'ready' | 'stopping' | 'lost'
  startedAt: Date
  /** Since when the daemon in it has been ready without a break; absent while it is not. */
  readySince?: Date
  problem?: MachineProblem
  /** What the daemon says of itself; absent when it gave no answer this time. */
  daemon?: DaemonStatus
}

/** A key in the Secret, known by its hash. */
export type HeldKey = { generation: number; hash: string }

/** Everything of one daemon at its runtime. */
export type Children = {
  /** Objects that have our names and are not ours. */
  foreign: readonly string[]
  fixtures: 'present' | 'absent' | 'drifted'
  /** `owned`: goes with the resource. `capacityBytes` is what the daemon can use by now. */
  volume?: { name: string; requestedBytes: number; capacityBytes: number; owned: boolean }
  /** Oldest first. `current` is the generation that the daemon is given. */
  keys: { held: readonly HeldKey[]; current?: number }
  workload?: { name: string; image: string; running: boolean }
  machine?: Machine
}

/** All that a plan is made from. */
export type Observed = { daemon: ManagedDaemon; children: Children; image: ImageVerdict; now: Date }
