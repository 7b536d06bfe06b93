import type { Organization } from '../answers.ts'
import { HostedSection } from './hosted-section.tsx'
import { KeySection } from './key-section.tsx'
import { SelfHostedSection } from './self-hosted-section.tsx'

/** The daemon of an organization: its state and, if the organization runs it, its key. */
export function DaemonTab({ organization }: { organization: Organization }) {
  if (organization.daemonMode === 'cloud_hosted') return <HostedSection organization={organization} />
  return (
    <>
      <SelfHostedSection orgId={organization.id} />
      {organization.role === 'admin' && <KeySection orgId={organization.id} />}
    </>
  )
}
