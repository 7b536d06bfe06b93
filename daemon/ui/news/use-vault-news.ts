import { useEffect, useMemo } from 'react'
import type { News } from '../api/news-calls.ts'
import { useLoaded, type Loaded } from '../api/use-loaded.ts'
import { useServices } from '../app/services.ts'
import type { NewsMark, OpenNews } from './news-context.ts'

type Wanted = { vaultId: string; reader: string; /** Changes whenever the vault does. */ tree: unknown }

const NONE: ReadonlyMap<string, NewsMark> = new Map()

/** What the reader has not read in a vault yet, kept up to date. Until the daemon has responded there are no marks. */
export function useVaultNews({ vaultId, reader, tree }: Wanted): OpenNews {
  const { client } = useServices()
  const [loaded, reload] = useLoaded(`news ${vaultId} ${reader}`, async (signal) => {
    const [news, { newsMarks }] = await Promise.all([client.readNews(vaultId, signal), import('./news-marks.ts')])
    return { news, marks: newsMarks(news.changed, reader) }
  })
  useEffect(reload, [tree, reload])

  return useMemo(() => {
    const isReady = loaded.state === 'ready'
    const news: Loaded<News> = isReady ? { state: 'ready', value: loaded.value.news } : loaded
    return { loaded: news, marks: isReady ? loaded.value.marks : NONE, reload }
  }, [loaded, reload])
}
