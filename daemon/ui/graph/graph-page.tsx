import '../styles/graph.css'
import { useEffect, useMemo, useState, type ReactNode } from 'react'
import { useUntilWhole } from '../api/use-until-whole.ts'
import { counted } from '../app/counted.ts'
import { FailureNotice } from '../app/failure-notice.tsx'
import { useServices } from '../app/services.ts'
import { comparable, withoutExtension } from '../links/link-index.ts'
import { FindField } from '../search/find-field.tsx'
import { useVault } from '../vaults/vault-context.ts'
import { leaveOut, type Graph, type GraphNode } from './graph.ts'
import { GraphView } from './graph-view.tsx'
import { useGraph } from './use-graph.ts'

const DEPTHS = [1, 2, 3]

/** The link graph: of one file's surroundings, or of the whole vault. */
export default function GraphPage({ path }: { path: string | undefined }) {
  const { navigation } = useServices()
  const { vault } = useVault()
  const [depth, setDepth] = useState(1)
  const [wanted, setWanted] = useState('')
  const [left, setLeft] = useState({ attachments: false, alone: false })
  const { loaded, reload, read } = useGraph(vault.id, { path, depth })
  const name = path === undefined ? vault.displayName : withoutExtension(path.split('/').at(-1)!)
  useEffect(() => {
    document.title = `Links · ${name}`
  }, [name])

  const whole = loaded.state === 'ready' ? loaded.value : undefined
  useUntilWhole(whole, reload)
  const graph = useMemo(() => whole && leaveOut(whole, left), [whole, left])
  const found = useMemo(() => graph && foundIn(graph, wanted), [graph, wanted])

  return (
    <div className="graph-page">
      <div className="graph-head">
        <h1>{path === undefined ? 'Links' : `Links around ${name}`}</h1>
        <p className="quiet" role="status">
          {loaded.state === 'loading' && (read > 0 ? `Read ${counted(read, 'file')}…` : 'Reading…')}
          {graph && (graph.nodes.length > 0 || !graph.partial) && sentence(graph)}
        </p>
        <div className="graph-tools">
          <FindField
            className="graph-find"
            label="Find a file in the graph"
            hint="Find a file"
            value={wanted}
            onChange={setWanted}
          />
          {path === undefined ? (
            <>
              <Choice on={!left.attachments} onChange={(on) => setLeft({ ...left, attachments: !on })}>
                Attachments
              </Choice>
              <Choice on={!left.alone} onChange={(on) => setLeft({ ...left, alone: !on })}>
                Files without links
              </Choice>
            </>
          ) : (
            <>
              <span className="segments" role="group" aria-label="How many links away">
                {DEPTHS.map((links) => (
                  <button key={links} type="button" aria-pressed={links === depth} onClick={() => setDepth(links)}>
                    {counted(links, 'link')}
                  </button>
                ))}
              </span>
              <button type="button" className="button" onClick={() => navigation.open({ vaultId: vault.id, path })}>
                Open the note
              </button>
              <button
                type="button"
                className="button"
                onClick={() => navigation.open({ vaultId: vault.id, view: 'graph' })}
              >
                Whole vault
              </button>
            </>
          )}
        </div>
      </div>
      {loaded.state === 'refused' && (
        <FailureNotice refusal={loaded.refusal} retryInSeconds={loaded.retryInSeconds} onRetry={reload} />
      )}
      {whole?.partial && (
        <p className="graph-note">
          Not everything has been looked at yet, so links are missing. This page reads them again by itself.
        </p>
      )}
      {graph && graph.nodes.length === 0 && !whole?.partial && (
        <p className="graph-note">There is nothing to show yet.</p>
      )}
      {graph && found && graph.nodes.length > 0 && (
        <GraphView
          key={`${path} ${depth} ${left.attachments} ${left.alone}`}
          graph={graph}
          found={wanted.trim() === '' ? undefined : new Set(found)}
          listed={found}
          start={path}
        />
      )}
    </div>
  )
}

function Choice({ on, onChange, children }: { on: boolean; onChange: (on: boolean) => void; children: ReactNode }) {
  return (
    <label className="graph-choice">
      <input type="checkbox" checked={on} onChange={(event) => onChange(event.target.checked)} />
      {children}
    </label>
  )
}

/** The indexes of the files whose name or path contains the words, the most linked first. */
function foundIn({ nodes }: Graph, wanted: string): number[] {
  const word = comparable(wanted.trim())
  const isFound = ({ path, title }: GraphNode) => word === '' || comparable(`${title} ${path}`).includes(word)
  return nodes
    .flatMap((node, at) => (isFound(node) ? [at] : []))
    .sort((one, other) => nodes[other]!.links - nodes[one]!.links)
}

function sentence({ nodes, edges }: Graph): string {
  const notes = nodes.filter(({ kind }) => kind === 'note').length
  const alone = nodes.filter(({ links }) => links === 0).length
  const attachments = nodes.length - notes
  return [
    counted(notes, 'note'),
    attachments > 0 && counted(attachments, 'attachment'),
    counted(edges.length / 2, 'link'),
    alone > 0 && `${alone.toLocaleString()} without a link`,
  ]
    .filter(Boolean)
    .join(', ')
}
