import { expect, it } from 'vitest'
import { initialStatus, type ManagedDaemon } from '@svc/shared/wire/managed-daemon.ts'
import { priorityOf } from './priority.ts'

type Version = Pick<ManagedDaemon, 'generation' | 'deletedAt'> & { uid?: string; observed?: number; ready?: true }

const version = ({ generation, deletedAt, uid = 'u', observed, ready }: Version): ManagedDaemon => ({
  name: 'org-a',
  uid,
  resourceVersion: '1',
  generation,
  createdAt: '2026-11-21T10:00:00.000Z',
  ...(deletedAt && { deletedAt }),
  spec: {} as ManagedDaemon['spec'],
  status: { ...initialStatus, observedGeneration: observed, ...(ready && { observedState: 'running' }) },
})
const settled = { generation: 3, observed: 3 }
const deletedAt = '2026-11-21T10:00:00.000Z'

const cases: [string, Version | undefined, Version, string][] = [
  ['a new resource: a person waits for it', undefined, { generation: 1 }, 'high'],
  ['a resource of the first listing that is as it was left', undefined, settled, 'low'],
  ['one of the first listing that was changed meanwhile', undefined, { generation: 4, observed: 3 }, 'high'],
  ['one of the first listing that was deleted meanwhile', undefined, { generation: 4, observed: 3, deletedAt }, 'high'],
  ['a changed spec', settled, { generation: 4, observed: 3 }, 'high'],
  ['a deletion', settled, { ...settled, deletedAt }, 'high'],
  ['another resource of the same name', settled, { generation: 3, observed: 3, uid: 'v' }, 'high'],
  ['a status of ours', settled, { ...settled, ready: true }, 'low'],
]

it.each(cases)('%s', (_what, before, after, priority) => {
  expect(priorityOf(before && version(before), version(after))).toBe(priority)
})
