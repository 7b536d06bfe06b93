import { useMemo, useState } from 'react'
import { counted } from '../app/counted.ts'
import { useVault } from '../vaults/vault-context.ts'
import GraphCanvas from './graph-canvas.tsx'
import { GraphList } from './graph-list.tsx'
import type { Graph } from './graph.ts'
import { useAgentsNotes } from './use-agents-notes.ts'

type Props = {
  graph: Graph
  /** The indexes of the files that the reader searches for; undefined without a search. */
  found: ReadonlySet<number> | undefined
  listed: readonly number[]
  /** The path of the file to mark at first. */
  start: string | undefined
}

/** The picture of a graph and its list; both share the marked file. */
export function GraphView({ graph, found, listed, start }: Props) {
  const { vault, open } = useVault()
  // A path, because a graph that is read again may have its files at other places.
  const [path, setPath] = useState(start)
  const marked = useMemo(() => placeOf(graph, path), [graph, path])
  const mark = (at: number | undefined) => setPath(at === undefined ? undefined : graph.nodes[at]!.path)
  const byAgents = useAgentsNotes(vault.id, graph)
  const openFile = (at: number) => open(graph.nodes[at]!.path)
  const file = marked === undefined ? undefined : graph.nodes[marked]
  return (
    <div className="graph-view">
      <GraphCanvas graph={graph} marked={marked} onMark={mark} onOpen={openFile} found={found} byAgents={byAgents} />
      <section className="graph-side" aria-label="Files of the graph">
        <p className="graph-marked" role="status">
          {file ? (
            <>
              <b>{file.title}</b>, {counted(file.links, 'link')}
            </>
          ) : (
            <span className="quiet">Point at a file in the picture, or choose one here.</span>
          )}
        </p>
        {byAgents.size > 0 && (
          <p className="quiet graph-legend">
            <i aria-hidden="true" /> changed by an agent since you last read it
          </p>
        )}
        <GraphList graph={graph} listed={listed} marked={marked} byAgents={byAgents} onMark={mark} onOpen={openFile} />
      </section>
    </div>
  )
}

function placeOf({ nodes }: Graph, path: string | undefined): number | undefined {
  const at = path === undefined ? -1 : nodes.findIndex((node) => node.path === path)
  return at === -1 ? undefined : at
}
