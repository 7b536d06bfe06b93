import { useState } from 'react'
import { useSession, useSettings } from '../app/session.tsx'
import { useSubmit } from '../app/submit.ts'
import { Button } from '../controls/button.tsx'
import { FailureNotice, Notice } from '../controls/notice.tsx'
import { authApi } from './auth-api.ts'

/**
 * A reminder of an unverified e-mail address. It disappears after the verification, because the session is read again
 * whenever the tab gets the focus.
 */
export function VerifyBanner() {
  const { profile } = useSettings()
  const { config } = useSession()
  const { pending, failure, submit } = useSubmit()
  const [sent, setSent] = useState(false)

  if (profile.emailVerified) return null

  return (
    <div className="banner">
      <Notice
        tone="warning"
        title="Verify your e-mail"
        action={
          <Button
            size="small"
            pending={pending}
            onClick={() => void submit(() => authApi.sendVerification(profile.email, '/')).then(setSent)}
          >
            {sent ? 'Send once more' : 'Send the mail again'}
          </Button>
        }
      >
        <p>
          {sent ? 'A new mail is on its way to ' : 'Open the link that was sent to '}
          <strong>{profile.email}</strong>. Until then you cannot accept invitations.{' '}
          {config.outboxUrl !== undefined && (
            <>
              Mails of this installation are in the <a href={config.outboxUrl}>outbox</a>.
            </>
          )}
        </p>
      </Notice>
      <FailureNotice failure={failure} />
    </div>
  )
}
