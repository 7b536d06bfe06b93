import { vaultPagePolicy } from '@svc/shared/wire/vault-page-policy.ts'

/** Headers of every response of a vault origin, the gateway's own pages included. */
export function originHeaders({ secure }: { secure: boolean }): Record<string, string> {
  return {
    'cache-control': 'private, no-store',
    'x-content-type-options': 'nosniff',
    'content-security-policy': vaultPagePolicy,
    'cross-origin-resource-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
    'origin-agent-cluster': '?1',
    'referrer-policy': 'same-origin',
    ...(secure ? { 'strict-transport-security': 'max-age=31536000' } : {}),
  }
}
