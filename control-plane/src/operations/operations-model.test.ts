import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createLog } from '@svc/shared/kit/log.ts'
import { isFailure } from '@svc/shared/wire/errors.ts'
import type { ManagedDaemonStore } from '@svc/shared/wire/managed-daemon-store.ts'
import { verifies } from '../../../test/requirements.ts'
import { Interleaving } from '../../../test/support/interleaving.ts'
import {
  addDaemon,
  drivenClock,
  emptyHeld,
  memoryProcess,
  reconcileOnce,
  type Held,
  type Life,
} from '../../../test/support/memory-operations.ts'
import type { DaemonWaiter } from '../managed-daemons/daemon-waiter.ts'
import { createRollImage } from '../effects/roll-image.ts'
import { createExecuteOperation } from './execute-operation.ts'
import type { LifecycleEventsRepository } from './lifecycle-events.repository.ts'
import type { OperationRequest } from './operation.ts'
import { createOperationChanges } from './operation-changes.ts'
import { createReconcileOperation } from './reconcile-operation.ts'
import { createRunOperation } from './run-operation.ts'

const log = createLog({ service: 'model', level: 'silent' })
const actor = { kind: 'user', id: 'usr_a' } as const
const orgA = `org_${'a'.repeat(24)}`
const orgB = `org_${'b'.repeat(24)}`
const repo = 'registry.example.net/svcd'
const OTHER_REASON = 'another'
const isBad = (image: string) => image.endsWith(':bad')

// Three operations compete for one organization, one of them with an image that fails; a fourth has its own.
const requests: OperationRequest[] = [
  { operationId: 'op-good-1', action: 'image_roll', orgId: orgA, actor, reason: 'r', input: { image: `${repo}:1` } },
  { operationId: 'op-bad-2', action: 'image_roll', orgId: orgA, actor, reason: 'r', input: { image: `${repo}:bad` } },
  { operationId: 'op-good-4', action: 'image_roll', orgId: orgA, actor, reason: 'r', input: { image: `${repo}:4` } },
  { operationId: 'op-good-3', action: 'image_roll', orgId: orgB, actor, reason: 'r', input: { image: `${repo}:3` } },
]

type Command =
  | { kind: 'ask'; process: 0 | 1; operation: number; otherReason: boolean }
  | { kind: 'crash'; process: 0 | 1 }
  | { kind: 'lose_lock'; process: 0 | 1 }
  | { kind: 'recover'; org: string; wrongOwner: boolean }
  | { kind: 'wait' }
  | { kind: 'reconcile'; org: string }

const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      kind: fc.constant('ask' as const),
      process: fc.constantFrom(0 as const, 1 as const),
      operation: fc.nat(3),
      otherReason: fc.nat(5).map((n) => n === 0),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('crash' as const), process: fc.constantFrom(0 as const, 1 as const) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('recover' as const),
      org: fc.constantFrom(orgA, orgB),
      wrongOwner: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('lose_lock' as const), process: fc.constantFrom(0 as const, 1 as const) }),
  },
  { weight: 4, arbitrary: fc.constant({ kind: 'wait' as const }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('reconcile' as const), org: fc.constantFrom(orgA, orgB) }) },
)

/** Responses to one request, and the states of its record while the request was in flight. */
type Heard = { operation: number; otherReason: boolean; result: string; seen: Set<string>; busy: boolean }

test(
  'any interleaving of two executors, retries, crashes and recovery keeps table 3.3',
  { timeout: 120_000 },
  async () => {
    verifies('operation.success-replayed', 'operation.in-progress', 'operation.reconciled', 'operation.retryable')
    verifies('operation.failed', 'operation.bound', 'claim.never-stolen', 'claim.recovery')
    await fc.assert(
      fc.asyncProperty(
        fc.integer(),
        fc.array(command, { minLength: 3, maxLength: 14, size: 'max' }),
        async (seed, commands) => {
          await play(seed, commands)
        },
      ),
      { numRuns: 5_000 },
    )
  },
)

async function play(seed: number, commands: Command[]): Promise<void> {
  const order = new Interleaving(seed)
  const held = emptyHeld()
  addDaemon(held, orgA)
  addDaemon(held, orgB)
  const heard: Heard[] = []
  const asked = new Map<string, number>()
  const watch = new StateWatch(held)
  let boots = 0
  const processes = [newProcess(), newProcess()] as const
  const living = [...processes]

  function newProcess() {
    const life: Life = { executor: `replica:${++boots}`, dead: false }
    held.liveExecutors.add(life.executor)
    return { life, ...engine(held, life, order) }
  }

  const ask = async (at: 0 | 1, operation: number, otherReason: boolean) => {
    const { life, run } = living[at]!
    const request = { ...requests[operation]!, ...(otherReason ? { reason: OTHER_REASON } : {}) }
    asked.set(request.operationId, (asked.get(request.operationId) ?? 0) + 1)
    const listening = watch.begin(request.operationId)
    const result = await run(request, { waitMs: 6_000 }).then(
      (answer) => `answer ${answer}`,
      (error: unknown) => (isFailure(error) ? error.code : `bug ${String(error)}`),
    )
    if (!life.dead) heard.push({ operation, otherReason, result, ...listening() })
  }

  const act = async (given: Command): Promise<void> => {
    await order.point()
    if (given.kind === 'ask') return ask(given.process, given.operation, given.otherReason)
    if (given.kind === 'wait') held.now += 600_001
    if (given.kind === 'reconcile') reconcileOnce(held, given.org, isBad)
    // The process loses its database connection but continues to run. Recovery may release its claims; only epochs
    // fence it.
    if (given.kind === 'lose_lock') held.liveExecutors.delete(living[given.process]!.life.executor)
    if (given.kind === 'crash') {
      const dying = living[given.process]!
      dying.life.dead = true
      held.liveExecutors.delete(dying.life.executor)
      living[given.process] = newProcess()
    }
    if (given.kind === 'recover') {
      const claim = held.claims.get(given.org)
      const expectedOwner = given.wrongOwner ? 'somebody else' : (claim?.owner ?? 'nobody')
      const { repository } = living[0]!
      const recovered = await repository.recover({ orgId: given.org, action: 'image_roll', expectedOwner, actor })
      if (given.wrongOwner) expect(recovered).toBeUndefined()
    }
  }

  const all = Promise.all(commands.map((given) => act(given)))
  await order.drive(all)
  watch.stop()
  judge(held, heard)
  for (const [operationId, { attempts }] of held.operations)
    expect(attempts, 'a request opens one attempt at most').toBeLessThanOrEqual(asked.get(operationId)!)
  await finishEverything(held, order)
}

/** The engine of one process over memory: the code under test. */
function engine(held: Held, life: Life, order: Interleaving) {
  const { repository, store, events } = memoryProcess(held, life, order)
  const clock = drivenClock(held, life, order)
  const waiter: DaemonWaiter = {
    until: async ({ name, judge: verdictOf }) => {
      for (let look = 0; look < 2; look++) {
        const verdict = verdictOf(await store.find(name))
        if (verdict !== undefined) return verdict
        await clock.sleep(1_000)
      }
      return undefined
    },
    close: () => {},
  }
  const effects = {
    image_roll: createRollImage({
      store: store as ManagedDaemonStore,
      waiter,
      events: events as LifecycleEventsRepository,
      raiseEpochs: repository.raiseEpochs,
      resolveImage: async (image) => image,
      timeoutMs: 0,
    }),
  }
  const changes = createOperationChanges(clock)
  const reconcile = createReconcileOperation({ repository, effects, changes, log })
  let executions = 0
  const newOwner = () => `${life.executor}:${++executions}`
  const random = () => 0
  const isLiving = async () => true
  const execute = createExecuteOperation({
    repository,
    effects,
    executor: life.executor,
    newOwner,
    isLiving,
    changes,
    clock,
    log,
    random,
  })
  const never = new AbortController().signal
  const wake = async (operationId: string) => void execute(operationId, never)
  return { repository, run: createRunOperation({ repository, effects, reconcile, wake, changes, clock, log }) }
}

/** Records which states a record passes through, and when its organization is busy with another operation. */
class StateWatch {
  readonly #held: Held
  readonly #listeners = new Set<() => void>()
  #on = true

  constructor(held: Held) {
    this.#held = held
    const set = held.operations.set.bind(held.operations)
    held.operations.set = (key, value) => {
      const map = set(key, value)
      if (this.#on) for (const listener of this.#listeners) listener()
      return map
    }
  }

  begin(operationId: string) {
    const seen = new Set<string>()
    let busy = false
    const look = () => {
      const record = this.#held.operations.get(operationId)
      seen.add(record?.state ?? 'absent')
      const orgId = requests.find((request) => request.operationId === operationId)!.orgId
      busy ||= [...this.#held.operations.values()].some(
        (other) =>
          other.orgId === orgId &&
          other.operationId !== operationId &&
          ['requested', 'executing'].includes(other.state),
      )
    }
    look()
    this.#listeners.add(look)
    return () => {
      this.#listeners.delete(look)
      return { seen, busy }
    }
  }

  stop(): void {
    this.#on = false
  }
}

/** The reference: the responses that table 3.3 allows, and what may have happened to the runtime. */
function judge(held: Held, heard: Heard[]): void {
  const patched = held.patches.map(({ operationId }) => operationId)
  expect(new Set(patched).size, 'no operation changes the runtime twice').toBe(patched.length)
  for (const orgId of [orgA, orgB]) {
    const epochs = held.patches.filter((patch) => patch.orgId === orgId).map(({ epoch }) => epoch)
    expect(epochs, 'epochs of an organization never fall').toEqual(epochs.toSorted((a, b) => a - b))
  }

  for (const { operation, otherReason, result, seen, busy } of heard) {
    const { operationId, reason } = requests[operation]!
    const record = held.operations.get(operationId)
    const allowed = new Set<string>()
    if (busy) allowed.add('organization_busy')
    if (record && record.reason !== (otherReason ? OTHER_REASON : reason)) allowed.add('operation_conflict')
    else {
      if (record?.state === 'succeeded') allowed.add(`answer ${record.answer}`)
      if (record?.state === 'failed') allowed.add('operation_failed')
      if (seen.has('requested') || seen.has('executing')) allowed.add('operation_in_progress')
      if (seen.has('retryable')) allowed.add('operation_retryable')
    }
    expect([...allowed], `${operationId} passed ${[...seen].join()}`).toContain(result)
  }
  for (const record of held.operations.values()) {
    const claim = held.claims.get(record.orgId)
    expect(claim?.operationId === record.operationId).toBe(record.state === 'executing')
    if (record.state === 'succeeded') expect(patched).toContain(record.operationId)
  }
}

/** However the run ended: ten minutes later recovery frees what is stale, and the same id ends every operation. */
async function finishEverything(held: Held, order: Interleaving): Promise<void> {
  held.now += 600_001
  held.liveExecutors.clear()
  const life: Life = { executor: 'replica:last', dead: false }
  const { repository, run } = engine(held, life, order)
  const finish = async () => {
    for (const orgId of [orgA, orgB]) {
      const claim = held.claims.get(orgId)
      if (claim) await repository.recover({ orgId, action: 'image_roll', expectedOwner: claim.owner, actor })
      for (const request of requests) {
        const record = held.operations.get(request.operationId)
        for (let attempt = 0; record?.orgId === orgId && attempt < 8; attempt++) {
          reconcileOnce(held, orgId, isBad)
          await run({ ...request, reason: record.reason }, { waitMs: 2_000 }).catch(() => {})
        }
      }
    }
  }
  await order.drive(finish())
  expect(held.claims.size).toBe(0)
  for (const [operationId, record] of held.operations) {
    const expected = operationId.includes('bad') ? ['failed'] : ['succeeded', 'failed']
    expect(expected, operationId).toContain(record.state)
    if (record.state === 'failed' && !operationId.includes('bad')) expect(record.failure.reason).toBe('Superseded')
  }
  judge(held, [])
}
