import { Link, useLocation } from 'react-router'
import type { AuditPage } from '../answers.ts'
import { Loaded } from '../controls/loaded.tsx'
import { Empty } from '../controls/status.tsx'
import { useLiveQuery } from '../live/live-query.ts'
import type { AuditFilter } from './audit-filter.ts'
import { AuditTable } from './audit-table.tsx'

type Props = { name: string; filter: AuditFilter; list: (signal: AbortSignal) => Promise<AuditPage> }

/** The entries that match a filter, page by page. */
export function AuditEntries({ name, filter, list }: Props) {
  const audit = useLiveQuery({
    queryKey: ['audit', name, filter],
    queryFn: ({ signal }) => list(signal),
    every: () => 2000,
  })
  const { cursor, ...chosen } = filter
  const isFiltered = Object.keys(chosen).length > 0
  return (
    <Loaded query={audit} what="the audit">
      {({ chain, entries, names, nextCursor }) => (
        <>
          {entries.length === 0 ? (
            <Empty title={isFiltered ? 'Nothing matches' : 'No entries yet'}>
              {isFiltered && (
                <p>{nextCursor === undefined ? 'Change the filter.' : 'Older entries are on the next page.'}</p>
              )}
            </Empty>
          ) : (
            <AuditTable chain={chain} entries={entries} names={names} />
          )}
          <div className="button-row">
            {cursor !== undefined && <PageLink cursor={undefined}>First page</PageLink>}
            {nextCursor !== undefined && <PageLink cursor={nextCursor}>Next page</PageLink>}
          </div>
        </>
      )}
    </Loaded>
  )
}

function PageLink({ cursor, children }: { cursor: string | undefined; children: string }) {
  const { pathname, search } = useLocation()
  const searchParams = new URLSearchParams(search)
  if (cursor === undefined) searchParams.delete('cursor')
  else searchParams.set('cursor', cursor)
  return (
    <Link to={`${pathname}?${searchParams.toString()}`} className="button button-plain button-small">
      {children}
    </Link>
  )
}
