import { useState } from 'react'
import { Link } from 'react-router'
import type { HostedCreated } from '../answers.ts'
import { api } from '../api.ts'
import { Page } from '../app/page.tsx'
import { pathTo } from '../app/paths.ts'
import { useSession } from '../app/session.tsx'
import { TextField } from '../controls/field.tsx'
import { Empty } from '../controls/status.tsx'
import { HostedProgress } from '../daemons/hosted-progress.tsx'
import { NewOrganizationPage } from './new-organization-page.tsx'

/** Makes a hosted organization and shows its daemon coming up. */
export default function CreateHostedPage() {
  const { refresh, config } = useSession()
  const [created, setCreated] = useState<HostedCreated['organization']>()

  if (created !== undefined) return <HostedProgress organization={created} />
  if (!config.hosted)
    return (
      <Page title="New hosted organization">
        <Empty title="This installation hosts no organizations">
          <p>
            Each organization here runs a host of its own.{' '}
            <Link to={pathTo.newOrganization('self-hosted')}>Make one</Link>
          </p>
        </Empty>
      </Page>
    )

  return (
    <NewOrganizationPage
      title="New hosted organization"
      note="We run the host for you, on a volume of your organization’s own."
      onCreate={async (names, { provisioningCode = '' }) => {
        const code = provisioningCode === '' ? {} : { provisioningCode: provisioningCode.trim() }
        const { organization } = await api.createHosted({ ...names, ...code })
        setCreated(organization)
        await refresh()
      }}
      renderMore={(problems) =>
        config.provisioningCodeRequired && (
          <TextField
            label="Provisioning code"
            name="provisioningCode"
            required
            maxLength={200}
            autoComplete="off"
            spellCheck={false}
            problem={problems.get('provisioningCode')}
            hint="You have it from whoever runs this service."
          />
        )
      }
    />
  )
}
