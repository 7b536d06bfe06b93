import '../styles/unread-files.css'
import type { UnreadFiles as Unread } from '@svc/shared/wire/daemon/daemon.api.ts'

/** Names the files and folders that the host could not read, so that nobody takes them for deleted. */
export default function UnreadFiles({ unread: { count, paths } }: { unread: Unread }) {
  return (
    <details className="unread-files quiet">
      <summary>Not everything can be read</summary>
      <p>The host may not open these files and folders, or their disk fails. It tries them again by itself.</p>
      <ul className="plain-list">
        {paths.map((path) => (
          <li key={path}>{path}</li>
        ))}
      </ul>
      {count > paths.length && <p>and {count - paths.length} more</p>}
    </details>
  )
}
