import type { ManagedDaemon, ManagedDaemonSpec } from './managed-daemon.ts'
import { quantityBytes } from './quantity.ts'

type Before = Pick<ManagedDaemon, 'spec' | 'status'>

/**
 * A rule of the resource beyond its schema: `check` for our own stores, `cel` for the Kubernetes API. A transition rule
 * sees the resource before the change; it does not apply to a new resource.
 */
export type SpecRule = {
  message: string
  cel: string
  check: (spec: ManagedDaemonSpec, before: Before | undefined) => boolean
}

/** The rules whose CEL sees the spec alone. A conformance test ensures that both stores refuse the same. */
export const specRules: readonly SpecRule[] = [
  {
    message: 'orgId is immutable',
    cel: 'self.orgId == oldSelf.orgId',
    check: (spec, before) => before === undefined || spec.orgId === before.spec.orgId,
  },
  {
    message: 'storage.className is immutable',
    cel: 'has(self.storage.className) == has(oldSelf.storage.className) && (!has(self.storage.className) || self.storage.className == oldSelf.storage.className)',
    check: (spec, before) => before === undefined || spec.storage.className === before.spec.storage.className,
  },
  {
    message: 'operation stays, and its epoch never falls',
    cel: '!has(oldSelf.operation) || (has(self.operation) && self.operation.epoch >= oldSelf.operation.epoch)',
    check: (spec, before) =>
      before?.spec.operation === undefined ||
      (spec.operation !== undefined && spec.operation.epoch >= before.spec.operation.epoch),
  },
  {
    message: 'relay.keyGeneration and relay.acceptedGeneration never fall',
    cel: 'self.relay.keyGeneration >= oldSelf.relay.keyGeneration && self.relay.acceptedGeneration >= oldSelf.relay.acceptedGeneration',
    check: (spec, before) =>
      before === undefined ||
      (spec.relay.keyGeneration >= before.spec.relay.keyGeneration &&
        spec.relay.acceptedGeneration >= before.spec.relay.acceptedGeneration),
  },
  {
    message: 'relay.acceptedGeneration is not above relay.keyGeneration',
    cel: 'self.relay.acceptedGeneration <= self.relay.keyGeneration',
    check: (spec) => spec.relay.acceptedGeneration <= spec.relay.keyGeneration,
  },
  {
    message: 'storage.autoGrow.maxSize is at least storage.size',
    cel: '!has(self.storage.autoGrow) || quantity(self.storage.autoGrow.maxSize).compareTo(quantity(self.storage.size)) >= 0',
    check: ({ storage }) =>
      storage.autoGrow === undefined || quantityBytes(storage.autoGrow.maxSize) >= quantityBytes(storage.size),
  },
]

/** The rules whose CEL sees the whole resource. */
export const resourceRules: readonly SpecRule[] = [
  {
    message: 'storage.size grows only; after a refused growth it may be any size above that of the volume',
    cel:
      'quantity(self.spec.storage.size).compareTo(quantity(oldSelf.spec.storage.size)) >= 0 || ' +
      '(has(oldSelf.status) && has(oldSelf.status.failedGrowth) && has(oldSelf.status.storage) && ' +
      'quantity(self.spec.storage.size).asInteger() > oldSelf.status.storage.capacityBytes)',
    check: (spec, before) => {
      if (before === undefined) return true
      const bytes = quantityBytes(spec.storage.size)
      if (bytes >= quantityBytes(before.spec.storage.size)) return true
      const { failedGrowth, storage } = before.status
      return failedGrowth !== undefined && storage !== undefined && bytes > storage.capacityBytes
    },
  },
]

/** Messages of the rules that a spec, or a change to it, violates. */
export function brokenRules(spec: ManagedDaemonSpec, before?: Before): string[] {
  return [...specRules, ...resourceRules].filter((rule) => !rule.check(spec, before)).map((rule) => rule.message)
}
