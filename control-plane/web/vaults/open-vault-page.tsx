import { systemClock } from '@svc/shared/kit/clock.ts'
import type { NotePlace } from '@svc/shared/wire/daemon/note-address.ts'
import { useEffect, useRef } from 'react'
import { Link, useNavigate, useParams } from 'react-router'
import { Page } from '../app/page.tsx'
import { Button } from '../controls/button.tsx'
import { FailureNotice, Notice } from '../controls/notice.tsx'
import { mayEnterUnasked } from './entry-loop.ts'
import { useEntry } from './use-entry.ts'
import { progressWords } from './vault-row.tsx'

const LIST = '/'

type Props = NotePlace & { orgSlug: string; vaultSlug: string }

/** The route of the address that opens a vault. */
export function OpenVaultRoute() {
  const { orgSlug = '', vaultSlug = '' } = useParams()
  return <OpenVaultPage key={`${orgSlug}/${vaultSlug}`} orgSlug={orgSlug} vaultSlug={vaultSlug} />
}

/** Enters a vault at once. Waits for a sleeping daemon; otherwise says what is wrong. */
export function OpenVaultPage({ orgSlug, vaultSlug, path, heading }: Props) {
  const { entry, enter } = useEntry(orgSlug, vaultSlug, { path, heading, fromPage: LIST })
  const navigate = useNavigate()
  const begun = useRef(false)

  useEffect(() => {
    if (begun.current) return
    begun.current = true
    const vault = `${orgSlug}/${vaultSlug}`
    if (mayEnterUnasked({ storage: sessionStorage, vault, now: systemClock.now().getTime() })) void enter()
  }, [enter, orgSlug, vaultSlug])

  // When the person comes back from the vault, show the list instead of entering the vault again.
  useEffect(() => {
    const back = (event: PageTransitionEvent) => event.persisted && void navigate(LIST, { replace: true })
    addEventListener('pageshow', back)
    return () => removeEventListener('pageshow', back)
  }, [navigate])

  return (
    <Page title="Opening vault">
      {entry.state === 'failed' ? (
        <>
          <FailureNotice failure={entry.failure} retry={() => void enter()} />
          <p>
            <Link to={LIST}>Back to your vaults</Link>
          </p>
        </>
      ) : entry.state === 'idle' ? (
        <>
          <Notice tone="warning">
            <p>
              The vault sent you back. If your browser blocks cookies, allow them for the address of the vault, and try
              again.
            </p>
          </Notice>
          <Button onClick={() => void enter()}>Open {vaultSlug}</Button>
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
