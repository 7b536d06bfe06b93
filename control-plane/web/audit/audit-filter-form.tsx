import type { FormEvent, ReactNode } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { Button } from '../controls/button.tsx'
import { SelectField, TextField } from '../controls/field.tsx'
import { FilterForm } from '../controls/filter-form.tsx'
import type { AuditFilter } from './audit-filter.ts'

type Props = {
  /** The page whose address holds the filter. */
  path: string
  filter: AuditFilter
  choices: { value: string; name: string }[]
  /** More fields, such as the chain. */
  children?: ReactNode
}

/** Filters by action, person and time. */
export function AuditFilterForm({ path, filter, choices, children }: Props) {
  const navigate = useNavigate()
  const { search } = useLocation()
  return (
    <FilterForm className="audit-filter" address={search} onSubmit={(event) => void navigate(addressOf(event, path))}>
      {children}
      <SelectField label="Action" name="event" defaultValue={filter.event ?? ''}>
        <option value="">Any</option>
        {choices.map(({ value, name }) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </SelectField>
      <TextField label="By" name="actor" type="search" defaultValue={filter.actor} placeholder="E-mail or id" />
      <TextField label="From" name="since" type="date" defaultValue={filter.since} />
      <TextField label="Until" name="until" type="date" defaultValue={filter.until} />
      <Button type="submit">Show</Button>
    </FilterForm>
  )
}

// The filter is part of the address, so it can be bookmarked and sent.
function addressOf(event: FormEvent<HTMLFormElement>, path: string): string {
  event.preventDefault()
  const given = [...new FormData(event.currentTarget)].flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' && value.trim() !== '' ? [[name, value.trim()]] : [],
  )
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`
}
