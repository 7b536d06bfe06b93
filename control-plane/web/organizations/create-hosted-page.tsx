import { useState } from 'react'
import { Link } from 'react-router'
import type { HostedCreated } from '../answers.ts'
import { AccountForm } from '../account/account-form.tsx'
import { api } from '../api.ts'
import { Page } from '../app/page.tsx'
import { pathTo } from '../app/paths.ts'
import { useSession } from '../app/session.tsx'
import { TextField } from '../controls/field.tsx'
import { HostedProgress } from '../daemons/hosted-progress.tsx'
import { NameFields } from './name-fields.tsx'

/** Makes a hosted organization and shows its daemon coming up. */
export default function CreateHostedPage() {
  const { refresh, config } = useSession()
  const [created, setCreated] = useState<HostedCreated['organization']>()

  if (created !== undefined)
    return (
      <Page
        title={`Setting up ${created.name}`}
        note="This takes about a minute. You may leave; it goes on without you."
      >
        <HostedProgress organization={created} />
      </Page>
    )

  return (
    <Page
      title="New hosted organization"
      above={
        <Link to={pathTo.newOrganization('choose')} className="back-link">
          New organization
        </Link>
      }
      note="We run the daemon for you, on a volume of your organization’s own."
    >
      <div className="card narrow">
        <AccountForm
          submit="Create organization"
          onSubmit={async ({ name = '', slug = '', provisioningCode = '' }) => {
            const { organization } = await api.createHosted({
              name: name.trim(),
              ...(slug === '' ? {} : { slug }),
              ...(provisioningCode === '' ? {} : { provisioningCode: provisioningCode.trim() }),
            })
            setCreated(organization)
            await refresh()
          }}
        >
          {(problems) => (
            <>
              <NameFields problems={problems} />
              {config.provisioningCodeRequired && (
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
              )}
            </>
          )}
        </AccountForm>
      </div>
    </Page>
  )
}
