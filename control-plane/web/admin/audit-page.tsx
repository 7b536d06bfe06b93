import { useState, type FormEvent } from 'react'
import { navigate, useAddress } from '../app/navigation.tsx'
import { Page } from '../app/page.tsx'
import { useResource } from '../app/resource.ts'
import { pathTo } from '../app/routes.ts'
import { Button } from '../controls/button.tsx'
import { TextField } from '../controls/field.tsx'
import { Loaded } from '../controls/loaded.tsx'
import { Empty } from '../controls/status.tsx'
import { adminApi } from './admin-api.ts'
import { AuditTable } from './audit-table.tsx'
import { VerifyAudit } from './verify-audit.tsx'

/** The audit, one chain at a time: the platform's own, or that of an organization. */
export function AuditPage() {
  const chain = useAddress().searchParams.get('chain') || 'platform'
  return (
    <Page title="Audit" note="Who did what, linked entry to entry, so that a change or a cut shows.">
      <div className="card stack">
        <form key={chain} className="filter" onSubmit={choose} role="search">
          <TextField
            label="Chain"
            name="chain"
            defaultValue={chain}
            spellCheck={false}
            hint="“platform”, or the id of an organization"
          />
          <Button type="submit">Show</Button>
        </form>
        <VerifyAudit key={`verify ${chain}`} chain={chain} />
        <Entries key={`entries ${chain}`} chain={chain} />
      </div>
    </Page>
  )
}

function choose(event: FormEvent<HTMLFormElement>) {
  event.preventDefault()
  const typed = new FormData(event.currentTarget).get('chain')
  navigate(pathTo.adminAudit(typeof typed === 'string' && typed.trim() !== '' ? typed.trim() : 'platform'))
}

function Entries({ chain }: { chain: string }) {
  const [cursor, setCursor] = useState<string>()
  const { resource, reload } = useResource(`audit ${chain} ${cursor ?? ''}`, (signal) =>
    adminApi.listAudit(chain, cursor, signal),
  )
  return (
    <Loaded resource={resource} what="the audit" reload={reload}>
      {({ entries, nextCursor }) =>
        entries.length === 0 ? (
          <Empty title="No entries in this chain" />
        ) : (
          <>
            <AuditTable entries={entries} />
            <div className="button-row">
              {cursor !== undefined && (
                <Button size="small" onClick={() => setCursor(undefined)}>
                  First page
                </Button>
              )}
              {nextCursor !== undefined && (
                <Button size="small" onClick={() => setCursor(nextCursor)}>
                  Next page
                </Button>
              )}
            </div>
          </>
        )
      }
    </Loaded>
  )
}
