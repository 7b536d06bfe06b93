import { Link } from 'react-router'
import { pathTo, type DaemonAct } from '../../app/paths.ts'
import { Status } from '../../controls/status.tsx'
import { Time } from '../../controls/time.tsx'
import type { Overview } from '../admin-answers.ts'

type Attention = Overview['attention'][number]

const names: Record<Attention['kind'], string> = {
  failed: 'Does not run',
  update_failed: 'Update failed',
  storage_full: 'Storage nearly full',
  not_connected: 'Not connected',
  degraded: 'Needs attention',
  stuck: 'Stuck',
  claim_expired: 'Stuck operation',
}

/** The action that usually solves a kind of problem. Other kinds must be examined first. */
const acts: Partial<Record<Attention['kind'], { act: DaemonAct; name: string }>> = {
  storage_full: { act: 'grow', name: 'Grow storage' },
  not_connected: { act: 'rotate', name: 'Rotate connection key' },
  update_failed: { act: 'roll', name: 'Update' },
}

/** The problems that need attention, longest waiting first, each with the action that solves it. */
export function AttentionList({ attention, total }: { attention: Attention[]; total: number }) {
  if (attention.length === 0) return null
  return (
    <section aria-labelledby="need-attention" className="stack">
      <h2 id="need-attention">Need attention</h2>
      <ul className="attention-list">
        {attention.map(({ orgId, orgName, kind, reason, since }) => (
          <li key={orgId} className="ledger-row">
            <span className="ledger-margin">{since === undefined ? '' : <Time at={since} />}</span>
            <span className="ledger-main">
              <Status tone="bad">{names[kind]}</Status>
              <Link to={pathTo.adminDaemon(orgId)} className="attention-who">
                {orgName}
              </Link>
              <span className="fine attention-why">{reason}</span>
              <Solution orgId={orgId} orgName={orgName} kind={kind} />
            </span>
          </li>
        ))}
      </ul>
      {total > attention.length && (
        <p className="fine">
          <Link to="/admin?standing=attention">All {total.toLocaleString('en')}</Link>
        </p>
      )}
    </section>
  )
}

function Solution({ orgId, orgName, kind }: Pick<Attention, 'orgId' | 'orgName' | 'kind'>) {
  const { act, name } = acts[kind] ?? { act: undefined, name: 'Open daemon' }
  const [to, words] =
    kind === 'claim_expired' ? ['/admin/claims', 'Stuck operations'] : [pathTo.adminDaemon(orgId, act), name]
  return (
    <Link to={to} className="button button-plain button-small" aria-label={`${words}: ${orgName}`}>
      {words}
    </Link>
  )
}
