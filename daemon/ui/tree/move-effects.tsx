import type { Moved } from '@svc/shared/wire/daemon/daemon-moves.api.ts'
import { counted } from '../app/counted.ts'

/** The effects of a move besides the new path: the links in other notes, before and after. */
export function MoveEffects({ plan: { files, kind, linksTotal, notesTotal, notes } }: { plan: Moved }) {
  const moved = kind === 'folder' ? `${counted(files, 'file')} will move. ` : ''
  if (linksTotal === 0) return <p className="hint">{moved}No links need to change.</p>
  return (
    <details className="move-effects">
      <summary>
        {moved}
        {counted(linksTotal, 'link')} in {counted(notesTotal, 'note')} will be rewritten
      </summary>
      <ul className="plain-list">
        {notes.map(({ path, links, changes }) => (
          <li key={path}>
            <b>{path}</b>
            {changes.map(({ line, before, after }, nth) => (
              <p key={nth}>
                <span className="quiet">Line {line}</span> <del>{before}</del> <ins>{after}</ins>
              </p>
            ))}
            {links > changes.length && <p className="quiet">and {links - changes.length} more</p>}
          </li>
        ))}
        {notesTotal > notes.length && <li className="quiet">and {counted(notesTotal - notes.length, 'more note')}</li>}
      </ul>
    </details>
  )
}
