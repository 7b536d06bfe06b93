import { Resolver } from 'node:dns/promises'
import type { ResolveText } from './auto-admit.ts'

const TIMEOUT_MS = 2_000

/** Queries the system's resolvers for TXT records, with a short timeout. No response counts as no record. */
export function systemResolveText(): ResolveText {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: 1 })
  return async (name) => {
    const records = await resolver.resolveTxt(name).catch(() => [])
    return records.map((parts) => parts.join(''))
  }
}
