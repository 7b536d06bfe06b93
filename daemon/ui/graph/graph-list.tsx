import { counted } from '../app/counted.ts'
import { folderOf } from '../links/resolve-link.ts'
import type { Graph } from './graph.ts'

const MOST_SHOWN = 200

type Props = {
  graph: Graph
  /** The indexes of the files to list, in their order. */
  listed: readonly number[]
  marked: number | undefined
  byAgents: ReadonlySet<number>
  onMark: (at: number | undefined) => void
  onOpen: (at: number) => void
}

/** The files of the picture as a list, those with the most links first. */
export function GraphList({ graph, listed, marked, byAgents, onMark, onOpen }: Props) {
  const left = listed.length - MOST_SHOWN
  return (
    <>
      <ul className="plain-list graph-list" aria-label="Files">
        {listed.slice(0, MOST_SHOWN).map((at) => {
          const { path, title, links, kind } = graph.nodes[at]!
          return (
            <li key={path}>
              <button
                type="button"
                className="list-link"
                title={path}
                data-marked={at === marked}
                onClick={() => onOpen(at)}
                onFocus={() => onMark(at)}
                onMouseEnter={() => onMark(at)}
              >
                <span>{title}</span>
                <span className="quiet">
                  {[
                    counted(links, 'link'),
                    folderOf(path),
                    kind === 'attachment' && 'attachment',
                    byAgents.has(at) && 'changed by an agent',
                  ]
                    .filter(Boolean)
                    .join(' · ')}
                </span>
              </button>
            </li>
          )
        })}
      </ul>
      {left > 0 && <p className="quiet">and {counted(left, 'more file')}. Type a name to find one.</p>}
      {listed.length === 0 && <p className="quiet">No file of that name.</p>}
    </>
  )
}
