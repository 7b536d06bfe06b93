import { useState } from 'react'
import type { GraphPage } from '../api/link-calls.ts'
import { useLoaded } from '../api/use-loaded.ts'
import { useServices } from '../app/services.ts'
import { joinPages } from './graph.ts'

/** The graph around a file, or of the whole vault, and how many files of it were read so far. */
export function useGraph(vaultId: string, { path, depth }: { path: string | undefined; depth: number }) {
  const { client } = useServices()
  const [read, setRead] = useState(0)
  const [loaded, reload] = useLoaded(`graph ${vaultId} ${depth} ${path ?? ''}`, async (signal) => {
    const pages: GraphPage[] = []
    setRead(0)
    for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
      const page = await client.readGraph(vaultId, { path, depth, cursor }, signal)
      pages.push(page)
      setRead((before) => before + page.nodes.length)
      cursor = page.nextCursor
    }
    return joinPages(pages)
  })
  return { loaded, reload, read }
}
