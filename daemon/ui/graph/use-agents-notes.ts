import { useMemo } from 'react'
import { useLoaded } from '../api/use-loaded.ts'
import { useServices } from '../app/services.ts'
import type { Graph } from './graph.ts'

const NONE: ReadonlySet<number> = new Set()

/**
 * The indexes of the notes that an agent changed since the person last read them. The set is empty until they are
 * known, so that the picture does not wait.
 */
export function useAgentsNotes(vaultId: string, graph: Graph | undefined): ReadonlySet<number> {
  const { client } = useServices()
  const [loaded] = useLoaded(`agents' notes ${vaultId}`, (signal) => client.readNews(vaultId, signal))
  const news = loaded.state === 'ready' ? loaded.value : undefined
  return useMemo(() => {
    if (!news || !graph) return NONE
    const changed = new Set(
      news.changed.filter(({ authors }) => authors.some(({ kind }) => kind === 'mcp_client')).map(({ path }) => path),
    )
    return new Set(graph.nodes.flatMap(({ path }, at) => (changed.has(path) ? [at] : [])))
  }, [news, graph])
}
