import { useEffect } from 'react'
import { chooseTheme, readTheme } from '@svc/shared/design/chosen-theme.ts'
import { useLoaded } from '../api/use-loaded.ts'
import { VaultChoice } from '../vaults/vault-choice.tsx'
import { EntryEnded } from './entry-ended.tsx'
import { FailureNotice } from './failure-notice.tsx'
import { useConnection, useServices } from './services.ts'

/** The whole page: reads who the visitor is and shows the vaults that they may open. */
export function App() {
  const { client } = useServices()
  const connection = useConnection()
  const [here, reload] = useLoaded('person', (signal) => client.readPerson(signal))
  const online = connection.state === 'online'
  const theme = here.state === 'ready' ? here.value.theme : undefined
  const offline = here.state === 'ready' ? here.value.app?.offline : undefined

  useEffect(() => {
    if (online && here.state === 'refused') reload()
  }, [online, here.state, reload])

  // The theme was changed elsewhere: in the app, or in another browser.
  useEffect(() => {
    if (theme !== undefined && theme !== readTheme()) chooseTheme(theme)
  }, [theme])

  // Without a service worker, the browser shows its own page while the device is offline.
  useEffect(() => {
    if (offline !== undefined) navigator.serviceWorker?.register(offline, { scope: '/' }).catch(() => {})
  }, [offline])

  if (connection.state === 'ended' && here.state !== 'ready')
    return (
      <>
        <FullPage />
        <EntryEnded refusal={connection.refusal} />
      </>
    )
  return (
    <>
      {here.state === 'loading' && <FullPage label="Opening…" />}
      {here.state === 'refused' && (
        <main className="full-page">
          <FailureNotice heading="h1" refusal={here.refusal} retryInSeconds={here.retryInSeconds} onRetry={reload} />
        </main>
      )}
      {here.state === 'ready' && <VaultChoice here={here.value} onVaultsChanged={reload} />}
      {connection.state === 'ended' && <EntryEnded refusal={connection.refusal} />}
    </>
  )
}

function FullPage({ label = '' }: { label?: string }) {
  return (
    <main className="full-page" aria-busy="true">
      <p className="quiet">{label}</p>
    </main>
  )
}
