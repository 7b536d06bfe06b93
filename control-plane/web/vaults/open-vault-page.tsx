import { useEffect, useRef } from 'react'
import { Link } from '../app/navigation.tsx'
import { Page } from '../app/page.tsx'
import { FailureNotice } from '../controls/notice.tsx'
import { useEntry } from './use-entry.ts'
import { progressWords } from './vault-row.tsx'

/** The address that opens a vault: it enters at once, waits for a sleeping daemon, and says what is wrong otherwise. */
export function OpenVaultPage({ orgSlug, vaultSlug }: { orgSlug: string; vaultSlug: string }) {
  const { entry, enter } = useEntry(orgSlug, vaultSlug)
  const begun = useRef(false)

  useEffect(() => {
    if (begun.current) return
    begun.current = true
    // Back from the vault leads to the list, not into the vault again.
    history.replaceState(null, '', '/')
    void enter()
  }, [enter])

  return (
    <Page title="Opening vault">
      {entry.state === 'failed' ? (
        <>
          <FailureNotice failure={entry.failure} retry={() => void enter()} />
          <p>
            <Link to="/">Back to your vaults</Link>
          </p>
        </>
      ) : (
        <div className="loading" role="status">
          <span className="spinner" aria-hidden="true" />
          <span>
            {progressWords(entry)} <strong>{vaultSlug}</strong>
          </span>
        </div>
      )}
    </Page>
  )
}
