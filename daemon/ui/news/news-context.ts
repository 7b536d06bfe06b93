import { createContext, useContext } from 'react'
import type { Loaded } from '../api/use-loaded.ts'
import type { News } from '../api/news-calls.ts'

/** The mark beside a line of the tree with news: who changed the file, as a symbol and in words. */
export type NewsMark = { by: 'people' | 'agents' | 'both'; words: string }

/** The news of the open vault. `marks` has the marks of notes and of the folders above them, by path. */
export type OpenNews = {
  loaded: Loaded<News>
  marks: ReadonlyMap<string, NewsMark>
  /** Reads the news again: something was read. */
  reload: () => void
}

/** Provides the news apart from the vault, so that they render only what shows them. */
export const NewsContext = createContext<OpenNews | undefined>(undefined)

export function useNews(): OpenNews {
  const news = useContext(NewsContext)
  if (news === undefined) throw new Error('no news around this component')
  return news
}
