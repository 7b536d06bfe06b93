import { systemClock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { expect, test } from 'vitest'
import { Interleaving } from '../../../test/support/interleaving.ts'
import { emptyHeld, memoryProcess } from '../../../test/support/memory-operations.ts'
import { createOperationChanges } from './operation-changes.ts'
import type { OperationRequest } from './operation.ts'
import { createRunOperation } from './run-operation.ts'

const request: OperationRequest = {
  operationId: 'backup-1',
  action: 'backup',
  orgId: `org_${'a'.repeat(24)}`,
  actor: { kind: 'user', id: 'usr_a' },
  reason: 'r',
  input: {},
}
const failure = { code: 'backup_store_unavailable', reason: 'Error' } as const

test('an operation whose marker cannot be read now is waited for all the same', async () => {
  const order = new Interleaving(1)
  const { repository } = memoryProcess(emptyHeld(), { executor: 'one', dead: false }, order)
  const changes = createOperationChanges(systemClock)
  const looked = Promise.withResolvers<void>()

  /** An executor that fails only after somebody has looked for the marker meanwhile. */
  const wake = async (operationId: string) => {
    const record = (await repository.find(operationId))!
    const { epoch } = (await repository.claim(record, { owner: 'o', executor: 'one' }))!
    changes.announce(operationId)
    void looked.promise.then(() => repository.recordOutcome(record, epoch, { state: 'retryable', failure }))
  }
  const run = createRunOperation({
    repository,
    effects: {
      backup: {
        execute: async () => ({}),
        findMarker: async () => {
          looked.resolve()
          throw fail(failure.code, { reason: failure.reason })
        },
      },
    },
    reconcile: async () => {},
    wake,
    changes,
    clock: systemClock,
    log: createLog({ service: 'test', level: 'silent' }),
  })

  const answered = run(request)
  const releasing = setInterval(() => void order.drive(answered), 1)
  await expect(answered).rejects.toMatchObject({ code: 'operation_retryable', details: failure })
  clearInterval(releasing)
})
