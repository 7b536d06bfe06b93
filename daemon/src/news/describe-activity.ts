import type { z } from 'zod'
import type { VaultList } from '@svc/shared/wire/daemon/daemon.api.ts'
import { authorView } from '../entry/author.ts'
import type { Vault } from '../vaults/vault.ts'
import type { VaultNews } from './follow-news.ts'

type ListedVault = z.infer<typeof VaultList>['vaults'][number]

/** Returns what a list of vaults shows of a vault: its name, size, newest change and the news of a reader. */
export type DescribeActivity = (vault: Vault, reader: string | undefined) => Promise<ListedVault>

type Deps = {
  indexOf(vault: Vault): { size(): number }
  newsOf(vault: Vault): VaultNews
}

/** Describes vaults for a list. Costs the same for a vault of any size. */
export function createDescribeActivity({ indexOf, newsOf }: Deps): DescribeActivity {
  return async (vault, reader) => {
    const news = newsOf(vault)
    const newest = await news.newest()
    const found = reader === undefined ? undefined : await news.newsFor(reader)
    return {
      id: vault.id,
      displayName: vault.displayName,
      ...(vault.isIndexed() && { notes: indexOf(vault).size() }),
      ...(newest && { changedAt: new Date(newest.at).toISOString(), changedBy: authorView(newest.by) }),
      ...(found && { news: found.by.map(({ author, notes }) => ({ author: authorView(author), notes })) }),
    }
  }
}
