import { expect, test } from 'vitest'
import { verifies } from '../../../test/requirements.ts'
import { decideOperation, retryableFor, type Decision } from './decide-operation.ts'
import type { Marker, OperationRecord, OperationRequest } from './operation.ts'

const request: OperationRequest = {
  operationId: 'roll-2026-01',
  action: 'image_roll',
  orgId: 'org_aaaaaaaaaaaaaaaaaaaaaaaa',
  actor: { kind: 'user', id: 'usr_aaaaaaaaaaaaaaaaaaaaaaaa' },
  reason: 'new release',
  input: { image: 'registry.example.net/svcd:1.2.3' },
}

const bound = {
  operationId: request.operationId,
  action: request.action,
  orgId: request.orgId,
  actor: request.actor,
  reason: request.reason,
  inputText: '{"image":"registry.example.net/svcd:1.2.3"}',
  attempts: 1,
  epoch: 7,
  requestedAt: new Date(0),
  finishedAt: undefined,
}
const record = (state: object) => ({ ...bound, ...state }) as OperationRecord
const proven: Marker = { outcome: 'succeeded', answer: { ok: true } }
const failed: Marker = { outcome: 'failed', failure: { code: 'operation_failed', reason: 'ImagePullFailed' } }

const simplified = (decision: Decision) => {
  if (decision.kind === 'refuse') return `refuse ${decision.failure.code}`
  if (decision.kind === 'reconcile') return `reconcile ${decision.marker.outcome}`
  return decision.kind
}

// Every state that a crash can leave, and table 3.3.
test.each<[string, OperationRecord | undefined, Marker | undefined, string]>([
  ['nothing recorded: the request never arrived', undefined, undefined, 'register'],
  ['recorded, no executor yet: the sweep wakes one', record({ state: 'requested' }), undefined, 'wait'],
  ['claimed, nothing done: in progress until recovery', record({ state: 'executing' }), undefined, 'wait'],
  ['claimed, effect proven: reconciled', record({ state: 'executing' }), proven, 'reconcile succeeded'],
  ['claimed, failure proven: reconciled', record({ state: 'executing' }), failed, 'reconcile failed'],
  ['recovered or temporarily failed: opened again', record({ state: 'retryable' }), undefined, 'reopen'],
  ['recovered, effect proven: the execution finds it', record({ state: 'retryable' }), proven, 'reopen'],
  ['succeeded: the recorded answer', record({ state: 'succeeded', answer: '{}' }), undefined, 'return'],
  ['succeeded, whatever the runtime says now', record({ state: 'succeeded', answer: '{}' }), failed, 'return'],
  [
    'failed: terminal',
    record({ state: 'failed', failure: { code: 'not_found' } }),
    undefined,
    'refuse operation_failed',
  ],
  [
    'failed: terminal, whatever the runtime says now',
    record({ state: 'failed', failure: { code: 'x' } }),
    proven,
    'refuse operation_failed',
  ],
])('%s', (_name, known, marker, expected) => {
  verifies(
    'operation.success-replayed',
    'operation.in-progress',
    'operation.reconciled',
    'operation.retryable',
    'operation.crash-states',
  )
  expect(simplified(decideOperation({ request, record: known, marker }))).toBe(expected)
})

test.each<[string, Partial<OperationRequest>]>([
  ['actor', { actor: { kind: 'token', id: 'token:01234567' } }],
  ['actor', { actor: { kind: 'user', id: 'usr_baaaaaaaaaaaaaaaaaaaaaaa' } }],
  ['target', { orgId: 'org_baaaaaaaaaaaaaaaaaaaaaaa' }],
  ['reason', { reason: 'another release' }],
  ['action', { action: 'key_rotation' }],
  ['parameters', { input: { image: 'registry.example.net/svcd:secret' } }],
])('another %s is a conflict that names the part and no value', (part, change) => {
  verifies('operation.bound')
  for (const state of [{ state: 'executing' }, { state: 'succeeded', answer: '{}' }, { state: 'retryable' }]) {
    const decision = decideOperation({ request: { ...request, ...change }, record: record(state), marker: proven })
    expect(decision).toMatchObject({ kind: 'refuse', failure: { code: 'operation_conflict' } })
    if (decision.kind !== 'refuse') continue
    expect(decision.failure.details).toEqual({ differing: [part] })
  }
})

test('the order of parameters does not matter', () => {
  const two = { ...request, input: { b: 1, a: 2 } }
  const known = record({ state: 'executing', inputText: '{"a":2,"b":1}' })
  expect(decideOperation({ request: two, record: known, marker: undefined }).kind).toBe('wait')
})

test('a response gives the reason, and nothing that the cluster said', () => {
  const failure = { code: 'operation_failed', reason: 'ResourceRejected', message: 'webhook vet.internal denied it' }
  const refused = decideOperation({ request, record: record({ state: 'failed', failure }), marker: undefined })
  expect(refused).toMatchObject({ failure: { details: { reason: 'ResourceRejected' } } })
  expect(retryableFor(failure).details).toEqual({ code: 'operation_failed', reason: 'ResourceRejected' })
  expect(JSON.stringify([refused, retryableFor(failure)])).not.toContain('webhook')
})
