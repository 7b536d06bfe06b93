import { useState } from 'react'
import { Link } from 'react-router'
import type { SelfHostedCreated } from '../answers.ts'
import { AccountForm } from '../account/account-form.tsx'
import { api } from '../api.ts'
import { Page } from '../app/page.tsx'
import { pathTo } from '../app/paths.ts'
import { useSession } from '../app/session.tsx'
import { KeyReveal } from '../daemons/key-reveal.tsx'
import { NameFields } from './name-fields.tsx'
import { ConnectDaemon } from './connect-daemon.tsx'

/** Makes a self-hosted organization, shows its key once, and waits for the daemon with the person. */
export default function CreateSelfHostedPage() {
  const { refresh } = useSession()
  const [created, setCreated] = useState<SelfHostedCreated>()

  if (created !== undefined) {
    const { organization } = created
    return (
      <Page title={`Connect the daemon of ${organization.name}`} note="Two steps: keep the key, start the daemon.">
        <div className="stack-wide">
          <KeyReveal issued={created} />
          <ConnectDaemon organization={organization} />
        </div>
      </Page>
    )
  }

  return (
    <Page
      title="New self-hosted organization"
      above={
        <Link to={pathTo.newOrganization('choose')} className="back-link">
          New organization
        </Link>
      }
      note="You run the daemon on a machine of yours; it connects to here with a key that you get next."
    >
      <div className="card narrow">
        <AccountForm
          submit="Create organization"
          onSubmit={async ({ name = '', slug = '' }) => {
            setCreated(await api.createSelfHosted({ name: name.trim(), ...(slug === '' ? {} : { slug }) }))
            await refresh()
          }}
        >
          {(problems) => <NameFields problems={problems} />}
        </AccountForm>
      </div>
    </Page>
  )
}
