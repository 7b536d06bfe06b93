import type { ManagedDaemonSpec } from './managed-daemon.ts'
import { quantityBytes } from './quantity.ts'

/**
 * A rule of the resource beyond its schema: `check` for our own stores, `cel` for the Kubernetes API. A transition rule
 * sees the spec before the change; it does not apply to a new resource.
 */
export type SpecRule = {
  message: string
  cel: string
  check: (spec: ManagedDaemonSpec, before: ManagedDaemonSpec | undefined) => boolean
}

/** All rules of the spec. A conformance test ensures that both stores refuse the same. */
export const specRules: readonly SpecRule[] = [
  {
    message: 'orgId is immutable',
    cel: 'self.orgId == oldSelf.orgId',
    check: (spec, before) => before === undefined || spec.orgId === before.orgId,
  },
  {
    message: 'storage.size grows only',
    cel: 'quantity(self.storage.size).compareTo(quantity(oldSelf.storage.size)) >= 0',
    check: (spec, before) =>
      before === undefined || quantityBytes(spec.storage.size) >= quantityBytes(before.storage.size),
  },
  {
    message: 'storage.className is immutable',
    cel: 'has(self.storage.className) == has(oldSelf.storage.className) && (!has(self.storage.className) || self.storage.className == oldSelf.storage.className)',
    check: (spec, before) => before === undefined || spec.storage.className === before.storage.className,
  },
  {
    message: 'operation stays, and its epoch never falls',
    cel: '!has(oldSelf.operation) || (has(self.operation) && self.operation.epoch >= oldSelf.operation.epoch)',
    check: (spec, before) =>
      before?.operation === undefined ||
      (spec.operation !== undefined && spec.operation.epoch >= before.operation.epoch),
  },
  {
    message: 'relay.keyGeneration and relay.acceptedGeneration never fall',
    cel: 'self.relay.keyGeneration >= oldSelf.relay.keyGeneration && self.relay.acceptedGeneration >= oldSelf.relay.acceptedGeneration',
    check: (spec, before) =>
      before === undefined ||
      (spec.relay.keyGeneration >= before.relay.keyGeneration &&
        spec.relay.acceptedGeneration >= before.relay.acceptedGeneration),
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

/** Messages of the rules that a spec, or a change to it, violates. */
export function brokenRules(spec: ManagedDaemonSpec, before?: ManagedDaemonSpec): string[] {
  return specRules.filter((rule) => !rule.check(spec, before)).map((rule) => rule.message)
}
