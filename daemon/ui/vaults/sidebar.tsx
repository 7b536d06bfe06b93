import { Suspense, type Ref } from 'react'
import type { UnreadFiles as Unread } from '@svc/shared/wire/daemon/daemon.api.ts'
import { lazyPart, loadAhead } from '../parts/lazy-part.tsx'
import type { Loaded } from '../api/use-loaded.ts'
import { FailureNotice } from '../app/failure-notice.tsx'
import { Icon } from '../app/icon.tsx'
import { Keys } from '../app/keys.tsx'
import { shortcuts } from '../app/shortcuts.ts'
import { FileTree } from '../tree/file-tree.tsx'
import { useVault } from './vault-context.ts'
import { VaultMenu } from './vault-menu.tsx'

// Loaded when somebody uses the search.
const loadSearch = () => import('../search/search-results.tsx')
const SearchResults = lazyPart(loadSearch)
const UnreadFiles = lazyPart(() => import('../tree/unread-files.tsx'))

/** The pages of a vault besides its notes. */
const views = [
  { view: 'graph', label: 'Links', title: 'Links of the vault', icon: 'graph' },
  { view: 'tags', label: 'Tags', title: 'Tags', icon: 'tag' },
  { view: 'agents', label: 'Agents', title: 'What agents changed', icon: 'pencil' },
  { view: 'deleted', label: 'Deleted notes', title: 'Deleted notes', icon: 'trash' },
] as const

type Props = {
  loaded: Loaded<{ unread?: Unread | undefined }>
  current: string | undefined
  expanded: ReadonlySet<string>
  onExpanded: (expanded: ReadonlySet<string>) => void
  onTruncated: (path: string) => void
  query: string
  onQuery: (query: string) => void
  searchBox: Ref<HTMLInputElement>
}

/** The left side: the vault's menu, the search, and the tree, which search results replace. */
export function Sidebar(props: Props) {
  const { loaded, current, expanded, onExpanded, onTruncated, query, onQuery, searchBox } = props
  const { tree, open, show, refreshTree } = useVault()
  const isSearching = query.trim() !== ''
  return (
    <nav className="sidebar" aria-label="Vault">
      <VaultMenu />
      <div className="search-box">
        <Icon name="search" />
        <input
          ref={searchBox}
          type="search"
          role="searchbox"
          aria-label="Search notes"
          placeholder="Search notes"
          autoComplete="off"
          spellCheck={false}
          value={query}
          onFocus={() => loadAhead(loadSearch)}
          onChange={(event) => onQuery(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') onQuery('')
            if (event.key !== 'ArrowDown') return
            event.preventDefault()
            event.currentTarget.closest('nav')?.querySelector<HTMLElement>('.results a, [role=tree]')?.focus()
          }}
        />
        {!isSearching && <Keys keys={shortcuts.search.keys} />}
      </div>
      {isSearching && (
        <Suspense fallback={<p className="quiet tree-note">Searching…</p>}>
          <SearchResults query={query} />
        </Suspense>
      )}
      {!isSearching && loaded.state === 'loading' && <p className="quiet tree-note">Reading the tree…</p>}
      {!isSearching && loaded.state === 'refused' && (
        <FailureNotice refusal={loaded.refusal} retryInSeconds={loaded.retryInSeconds} onRetry={refreshTree} />
      )}
      {!isSearching && loaded.state === 'ready' && tree.length === 0 && (
        <p className="quiet tree-note">No notes yet.</p>
      )}
      {!isSearching && loaded.state === 'ready' && tree.length > 0 && (
        <FileTree
          tree={tree}
          current={current}
          expanded={expanded}
          onExpanded={onExpanded}
          onOpen={open}
          onTruncated={onTruncated}
        />
      )}
      {!isSearching && loaded.state === 'ready' && loaded.value.unread && (
        <Suspense>
          <UnreadFiles unread={loaded.value.unread} />
        </Suspense>
      )}
      <div className="sidebar-foot">
        <button type="button" className="button" onClick={() => show('new-note')}>
          <Icon name="plus" /> New note
        </button>
        {views.map(({ view, label, title, icon }) => (
          <button
            key={view}
            type="button"
            className="icon-button"
            aria-label={label}
            title={title}
            onClick={() => open(undefined, { view })}
          >
            <Icon name={icon} />
          </button>
        ))}
        <button
          type="button"
          className="icon-button"
          aria-label="Show the keys"
          title="Keys (?)"
          onClick={() => show('cheat-sheet')}
        >
          <Icon name="keyboard" />
        </button>
        <button type="button" className="icon-button" aria-label="More" title="More" onClick={() => show('palette')}>
          <Icon name="more" />
        </button>
      </div>
    </nav>
  )
}
