import { useState } from 'react'
import type { SelfHostedCreated } from '../answers.ts'
import { api } from '../api.ts'
import { Page } from '../app/page.tsx'
import { useSession } from '../app/session.tsx'
import { KeyReveal } from '../daemons/key-reveal.tsx'
import { ConnectDaemon } from './connect-daemon.tsx'
import { NewOrganizationPage } from './new-organization-page.tsx'

/** Makes a self-hosted organization, shows its key once, and waits for the daemon with the person. */
export default function CreateSelfHostedPage() {
  const { refresh } = useSession()
  const [created, setCreated] = useState<SelfHostedCreated>()

  if (created !== undefined) {
    const { organization } = created
    return (
      <Page title={`Connect the host of ${organization.name}`} note="Two steps: keep the key, start the host.">
        <div className="stack-wide">
          <KeyReveal issued={created} />
          <ConnectDaemon organization={organization} />
        </div>
      </Page>
    )
  }

  return (
    <NewOrganizationPage
      title="New self-hosted organization"
      note="You run the host on a machine of yours; it connects to here with a key that you get next."
      onCreate={async (names) => {
        setCreated(await api.createSelfHosted(names))
        await refresh()
      }}
    />
  )
}
