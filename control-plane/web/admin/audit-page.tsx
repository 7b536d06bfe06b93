import { useLocation } from 'react-router'
import { Page } from '../app/page.tsx'
import { AuditEntries } from '../audit/audit-entries.tsx'
import { readAuditFilter, toAuditQuery } from '../audit/audit-filter.ts'
import { AuditFilterForm } from '../audit/audit-filter-form.tsx'
import { platformChoices } from '../audit/audit-words.ts'
import { VerifyAudit } from '../audit/verify-audit.tsx'
import { TextField } from '../controls/field.tsx'
import { adminApi } from './admin-api.ts'

/** The audit, one chain at a time: the platform's own, or that of an organization. */
export function AuditPage() {
  const { search } = useLocation()
  const chain = new URLSearchParams(search).get('chain') || 'platform'
  const filter = readAuditFilter(search)
  return (
    <Page title="Audit" note="Who did what, linked entry to entry, so that a change or a cut shows.">
      <div className="card stack">
        <AuditFilterForm path="/admin/audit" filter={filter} choices={platformChoices}>
          <TextField
            label="Organization"
            name="chain"
            type="search"
            defaultValue={chain === 'platform' ? '' : chain}
            placeholder="Platform"
            spellCheck={false}
            hint="Short name or id; empty: the platform"
          />
        </AuditFilterForm>
        <VerifyAudit key={`verify ${chain}`} verify={() => adminApi.verifyAudit(chain)} />
        <AuditEntries
          name={chain}
          filter={filter}
          list={(signal) => adminApi.listAudit(chain, toAuditQuery(filter), signal)}
        />
      </div>
    </Page>
  )
}
