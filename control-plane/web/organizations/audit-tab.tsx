import { useLocation } from 'react-router'
import type { Organization } from '../answers.ts'
import { api } from '../api.ts'
import { pathTo } from '../app/paths.ts'
import { AuditEntries } from '../audit/audit-entries.tsx'
import { readAuditFilter, toAuditQuery } from '../audit/audit-filter.ts'
import { AuditFilterForm } from '../audit/audit-filter-form.tsx'
import { organizationChoices } from '../audit/audit-words.ts'
import { VerifyAudit } from '../audit/verify-audit.tsx'

/** Who did what in the organization, for its admins. */
export function AuditTab({ organization: { id, slug } }: { organization: Organization }) {
  const { search } = useLocation()
  const filter = readAuditFilter(search)
  return (
    <div className="card stack">
      <AuditFilterForm path={pathTo.organization(slug, 'audit')} filter={filter} choices={organizationChoices} />
      <VerifyAudit key={`verify ${id}`} verify={() => api.verifyAudit(id)} />
      <AuditEntries name={id} filter={filter} list={(signal) => api.listAudit(id, toAuditQuery(filter), signal)} />
    </div>
  )
}
