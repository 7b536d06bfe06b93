import type { z } from 'zod'
import type { VaultList } from '@svc/shared/wire/daemon/daemon.api.ts'
import { isFailure } from '@svc/shared/wire/errors.ts'
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
    // Before anything is awaited: a vault that closes meanwhile has no index, and must not fail the list of all.
    const notes = vault.isIndexed() ? indexOf(vault).size() : undefined
    const { newest, found } = await readNews(news, reader)
    return {
      id: vault.id,
      displayName: vault.displayName,
      ...(notes !== undefined && { notes }),
      ...(newest && { changedAt: new Date(newest.at).toISOString(), changedBy: authorView(newest.by) }),
      ...(found && { news: found.by.map(({ author, notes }) => ({ author: authorView(author), notes })) }),
    }
  }
}

/** Without news if they cannot be read now, which the log says: people must see their vaults. */
async function readNews(news: VaultNews, reader: string | undefined) {
  try {
    const newest = await news.newest()
    return { newest, found: reader === undefined ? undefined : await news.newsFor(reader) }
  } catch (error) {
    if (!isFailure(error)) throw error
    return {}
  }
}
