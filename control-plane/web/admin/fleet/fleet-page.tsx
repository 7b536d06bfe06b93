import { useQuery } from '@tanstack/react-query'
import { useState, type FormEvent, type ReactNode } from 'react'
import { Link, useLocation, useNavigate } from 'react-router'
import { Page } from '../../app/page.tsx'
import { useSession } from '../../app/session.tsx'
import { LiveAge } from '../../live/live-age.tsx'
import { useLiveQuery } from '../../live/live-query.ts'
import { Button } from '../../controls/button.tsx'
import { SelectField, TextField } from '../../controls/field.tsx'
import { FilterForm } from '../../controls/filter-form.tsx'
import { Loaded } from '../../controls/loaded.tsx'
import { Empty } from '../../controls/status.tsx'
import { observedStates, stateName } from '../../daemons/state-names.ts'
import { adminApi } from '../admin-api.ts'
import type { InventoryItem } from '../admin-answers.ts'
import { FleetOverview, useOverview } from '../overview/fleet-overview.tsx'
import { fleetTitle } from '../overview/fleet-picture-parts.ts'
import { filterPath, readFilter, type FleetFilter } from './fleet-filter.ts'
import { FleetTable } from './fleet-table.tsx'
import { SelectionBar } from './selection-bar.tsx'

const standings = ['attention', 'changing', 'running', 'asleep'] as const
const entitlements = ['comped', 'paid', 'none'] as const

/** Every organization with a hosted daemon or the right to one, kept current. */
export function FleetPage() {
  const { search } = useLocation()
  const filter = readFilter(search)
  const fleet = useLiveQuery({
    queryKey: ['admin', 'fleet', filter],
    queryFn: ({ signal }) => adminApi.listDaemons({ ...filter, limit: 50 }, signal),
    every: () => 2000,
  })

  const overview = useOverview()
  const title = overview.data === undefined ? 'Hosted daemons' : fleetTitle(overview.data)
  const isNew = overview.data?.total === 0 && filterPath(filter) === filterPath({})

  return (
    <Page title={title} margin={<LiveAge queries={[overview, fleet]} />} note={<Domains />}>
      <FleetOverview overview={overview} />
      {/* Rendered after the overview is loaded: otherwise the list would jump down when the pictures above it appear. */}
      {!overview.isPending && (
        <div className="card stack">
          <h2>All daemons</h2>
          {!isNew && <FleetFilterForm filter={filter} />}
          <Loaded query={fleet} what="hosted daemons">
            {({ daemons, total, nextCursor }) => (
              <>
                <SelectableFleet
                  key={filterPath(filter)}
                  daemons={daemons}
                  none={<NoDaemons isNew={isNew} />}
                  onDone={() => void fleet.refetch()}
                />
                {daemons.length > 0 && (
                  <div className="table-foot">
                    <span className="fine">
                      {total === 1 ? 'One organization' : `${total.toLocaleString('en')} organizations`}
                    </span>
                    {filter.cursor !== undefined && <Link to={filterPath({ ...filter, cursor: '' })}>First page</Link>}
                    {nextCursor !== undefined && (
                      <Link to={filterPath({ ...filter, cursor: nextCursor })}>Next page</Link>
                    )}
                  </div>
                )}
              </>
            )}
          </Loaded>
        </div>
      )}
    </Page>
  )
}

function NoDaemons({ isNew }: { isNew: boolean }) {
  const { hosted } = useSession().config
  if (!isNew)
    return (
      <Empty title="None found">
        <p>No hosted daemon matches. Change the filter.</p>
      </Empty>
    )
  if (!hosted)
    return (
      <Empty title="This installation runs no daemons">
        <p>
          Each organization runs its own. With a cluster, MANAGED_DAEMON_STORE=kubernetes lets the operator run them.
        </p>
      </Empty>
    )
  return (
    <Empty title="No hosted daemon yet">
      <p>One appears here when somebody creates a hosted organization.</p>
    </Empty>
  )
}

type SelectableProps = { daemons: InventoryItem[]; none: ReactNode; onDone: () => void }

// A new filter or page clears the selection, so that nobody acts on rows that are not visible. The bar stays without
// rows too: an action that it runs may be why no row matches the filter any more.
function SelectableFleet({ daemons, none, onDone }: SelectableProps) {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const isAll = daemons.every(({ orgId }) => selected.has(orgId))
  const selectAll = () => setSelected(new Set(isAll ? [] : daemons.map(({ orgId }) => orgId)))
  return (
    <>
      <div className="selection-line">
        {daemons.length > 0 && (
          <Button size="small" look="quiet" onClick={selectAll}>
            {isAll ? 'Select none' : `Select all ${daemons.length} on this page`}
          </Button>
        )}
        <SelectionBar
          selected={daemons.filter(({ orgId }) => selected.has(orgId))}
          onDone={onDone}
          clear={() => setSelected(new Set())}
        />
      </div>
      {daemons.length === 0 ? (
        none
      ) : (
        <FleetTable
          daemons={daemons}
          selected={selected}
          select={(orgId) => setSelected((before) => before.symmetricDifference(new Set([orgId])))}
        />
      )}
    </>
  )
}

function FleetFilterForm({ filter }: { filter: FleetFilter }) {
  const navigate = useNavigate()
  const apply = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    void navigate(filterPath(Object.fromEntries(new FormData(event.currentTarget)) as FleetFilter))
  }
  return (
    <FilterForm address={filterPath(filter)} onSubmit={apply}>
      <TextField label="Organization" name="q" type="search" defaultValue={filter.q} placeholder="Name, slug or id" />
      <SelectField
        label="Standing"
        name="standing"
        defaultValue={filter.standing ?? ''}
        onChange={(event) => event.currentTarget.form?.requestSubmit()}
      >
        <option value="">Any</option>
        {standings.map((standing) => (
          <option key={standing} value={standing}>
            {standing === 'attention' ? 'Needs attention' : stateName(standing)}
          </option>
        ))}
      </SelectField>
      <SelectField
        label="State"
        name="observedState"
        defaultValue={filter.observedState ?? ''}
        onChange={(event) => event.currentTarget.form?.requestSubmit()}
      >
        <option value="">Any</option>
        {observedStates.map((state) => (
          <option key={state} value={state}>
            {stateName(state)}
          </option>
        ))}
      </SelectField>
      <SelectField
        label="Plan"
        name="entitlement"
        defaultValue={filter.entitlement ?? ''}
        onChange={(event) => event.currentTarget.form?.requestSubmit()}
      >
        <option value="">Any</option>
        {entitlements.map((kind) => (
          <option key={kind} value={kind}>
            {stateName(kind)}
          </option>
        ))}
      </SelectField>
      <Button type="submit">Search</Button>
    </FilterForm>
  )
}

function Domains() {
  const { data } = useQuery({ queryKey: ['admin', 'status'], queryFn: adminApi.readStatus })
  if (data === undefined) return null
  const { workspaceDomains } = data
  return workspaceDomains.length === 0
    ? 'No workspace domain is bound.'
    : `Workspace domains: ${workspaceDomains.join(', ')}`
}
