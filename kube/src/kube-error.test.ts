import { expect, it } from 'vitest'
import { KubeError, lacksRights } from './kube-error.ts'

it.each([
  [
    'a role that lacks a verb',
    'persistentvolumeclaims "a" is forbidden: User "svc" cannot patch resource "persistentvolumeclaims" in API group ""',
    true,
  ],
  [
    'a quota',
    'persistentvolumeclaims "a" is forbidden: exceeded quota: storage, requested: requests.storage=1Gi',
    false,
  ],
  [
    'a storage class that does not grow',
    'persistentvolumeclaims "a" is forbidden: only dynamically provisioned pvc can be resized',
    false,
  ],
])('tells %s from the others', (_what, message, expected) => {
  expect(lacksRights(new KubeError({ status: 403, reason: 'Forbidden', message }))).toBe(expected)
})
