import type { NewsAnswer } from '@svc/shared/wire/daemon/daemon-news.api.ts'
import type { z } from 'zod'
import { encodePath, vaultUrl } from './vault-addresses.ts'

export type News = z.infer<typeof NewsAnswer>['news']

type Call = <T>(url: string, options: { method?: string; body?: unknown; signal?: AbortSignal }) => Promise<T>

const readingsUrl = (vaultId: string) => `${vaultUrl(vaultId)}/readings`

/** The notes that changed since the person last read them, and the calls that mark them as read. */
export const newsCalls = (call: Call) => ({
  /** The notes with changes that the person has not read, newest first. */
  readNews: async (vaultId: string, signal?: AbortSignal): Promise<News> =>
    (await call<z.infer<typeof NewsAnswer>>(`${vaultUrl(vaultId)}/news?limit=1000`, { ...(signal && { signal }) }))
      .news,

  /** Records that the person has read a note up to this baseline. */
  markRead: ({ vaultId, path }: { vaultId: string; path: string }, baseline: string): Promise<void> =>
    call<unknown>(`${readingsUrl(vaultId)}/${encodePath(path)}`, { method: 'PUT', body: { baseline } }).then(
      () => undefined,
    ),

  /** Records that the person has read everything up to now. */
  markAllRead: (vaultId: string): Promise<void> =>
    call<unknown>(readingsUrl(vaultId), { method: 'PUT', body: {} }).then(() => undefined),
})
