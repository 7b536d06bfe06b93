import type { AuditEntry as Audited } from '@svc/shared/wire/daemon/daemon-audit.api.ts'
import type { AuditList } from '@svc/shared/wire/daemon/daemon.api.ts'
import type * as reverts from '@svc/shared/wire/daemon/daemon-reverts.api.ts'
import type { z } from 'zod'
import { vaultUrl } from './vault-addresses.ts'

export type AuditEntry = z.infer<typeof Audited>
/** `isWhole` is false if there may be older changes. */
export type AgentChanges = { entries: AuditEntry[]; isWhole: boolean }

type Call = <T>(
  url: string,
  options: { method?: string; body?: unknown; signal?: AbortSignal | undefined },
) => Promise<T>

// The most that the daemon returns.
const MOST_CHANGES = 1000

/** What agents changed, and how it is undone. */
export const agentCalls = (call: Call) => ({
  /** The latest changes of all agents in a vault, for those who may read its audit. */
  readAgentChanges: async (vaultId: string, signal?: AbortSignal): Promise<AgentChanges> => {
    const url = `${vaultUrl(vaultId)}/audit?actor=mcp_client&limit=${MOST_CHANGES}`
    const { entries } = await call<z.infer<typeof AuditList>>(url, { signal })
    return { entries, isWhole: entries.length < MOST_CHANGES }
  },

  /** Reverts the changes that an agent made since a given time, or only returns the plan for this. */
  revert: (vaultId: string, wish: z.input<typeof reverts.RevertRequest>, signal?: AbortSignal) =>
    call<z.infer<typeof reverts.RevertResult>>(`${vaultUrl(vaultId)}/revert`, { method: 'POST', body: wish, signal }),
})
