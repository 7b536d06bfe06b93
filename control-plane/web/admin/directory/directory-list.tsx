import type { UseQueryResult } from '@tanstack/react-query'
import type { FormEvent, ReactNode } from 'react'
import { Link, useLocation, useNavigate } from 'react-router'
import { Page } from '../../app/page.tsx'
import { Button } from '../../controls/button.tsx'
import { TextField } from '../../controls/field.tsx'
import { FilterForm } from '../../controls/filter-form.tsx'
import { Loaded } from '../../controls/loaded.tsx'
import { Empty } from '../../controls/status.tsx'

type Listed = { total: number; nextCursor?: string | undefined }
type Props<T extends Listed> = {
  title: string
  note: string
  searchFor: string
  query: UseQueryResult<T>
  /** More fields of the filter, such as a choice. */
  fields?: ReactNode
  children: (found: T) => ReactNode
}

/** The filter in the address, for a list that is read page by page. */
export function useListFilter(names: readonly string[]): Record<string, string> {
  const given = new URLSearchParams(useLocation().search)
  return Object.fromEntries(
    [...names, 'cursor'].flatMap((name) => {
      const value = given.get(name)
      return value === null || value === '' ? [] : [[name, value]]
    }),
  )
}

/** A searchable list of the platform. The filter is part of the address, so it can be bookmarked and sent. */
export function DirectoryList<T extends Listed>({ title, note, searchFor, query, fields, children }: Props<T>) {
  const { pathname, search } = useLocation()
  const navigate = useNavigate()
  const given = new URLSearchParams(search)
  const apply = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const wanted = [...new FormData(event.currentTarget)].flatMap(([name, value]): [string, string][] =>
      typeof value === 'string' && value.trim() !== '' ? [[name, value.trim()]] : [],
    )
    void navigate(wanted.length === 0 ? pathname : `${pathname}?${new URLSearchParams(wanted).toString()}`)
  }
  const pageAt = (cursor: string | undefined) => {
    const other = new URLSearchParams(search)
    if (cursor === undefined) other.delete('cursor')
    else other.set('cursor', cursor)
    return `${pathname}?${other.toString()}`
  }

  return (
    <Page title={title} note={note}>
      <div className="card stack">
        <FilterForm address={search} onSubmit={apply}>
          <TextField label={searchFor} name="q" type="search" defaultValue={given.get('q') ?? ''} />
          {fields}
          <Button type="submit">Search</Button>
        </FilterForm>
        <Loaded query={query} what={title.toLowerCase()}>
          {(found) => (
            <>
              {found.total === 0 ? <Empty title="None found">Change the search.</Empty> : children(found)}
              <div className="table-foot">
                <span className="fine">{found.total === 1 ? 'One' : found.total.toLocaleString('en')} in all</span>
                {given.has('cursor') && <Link to={pageAt(undefined)}>First page</Link>}
                {found.nextCursor !== undefined && <Link to={pageAt(found.nextCursor)}>Next page</Link>}
              </div>
            </>
          )}
        </Loaded>
      </div>
    </Page>
  )
}
