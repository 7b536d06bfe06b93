import { useEffect } from 'react'
import { useLoaded } from '../api/use-loaded.ts'
import { VaultChoice } from '../vaults/vault-choice.tsx'
import { EntryEnded } from './entry-ended.tsx'
import { FailureNotice } from './failure-notice.tsx'
import { useConnection, useServices } from './services.ts'

/** The whole page: finds out who is looking and hands over to the vaults they may open. */
export function App() {
  const { client } = useServices()
  const connection = useConnection()
  const [who, reload] = useLoaded('whoami', (signal) => client.whoami(signal))
  const online = connection.state === 'online'

  useEffect(() => {
    if (online && who.state === 'refused') reload()
  }, [online, who.state, reload])

  if (connection.state === 'ended' && who.state !== 'ready')
    return (
      <>
        <FullPage />
        <EntryEnded refusal={connection.refusal} />
      </>
    )
  return (
    <>
      {who.state === 'loading' && <FullPage label="Opening…" />}
      {who.state === 'refused' && (
        <main className="full-page">
          <FailureNotice refusal={who.refusal} retryInSeconds={who.retryInSeconds} onRetry={reload} />
        </main>
      )}
      {who.state === 'ready' && <VaultChoice who={who.value} />}
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
