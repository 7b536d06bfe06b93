import { useState } from 'react'
import { useSession } from '../app/session.tsx'
import { useSubmit } from '../app/submit.ts'
import { Button } from '../controls/button.tsx'
import { FailureNotice, Notice } from '../controls/notice.tsx'
import { authApi } from './auth-api.ts'

/** Help for a sign-in that may have failed because the sign-up is not confirmed. Does not reveal whether this is so. */
export function ResendConfirmation({ email }: { email: string }) {
  const { outboxUrl } = useSession().config
  const { pending, failure, submit } = useSubmit()
  const [sent, setSent] = useState(false)
  if (failure !== undefined) return <FailureNotice failure={failure} />
  return (
    <Notice
      tone="warning"
      title="E-mail or password is wrong"
      action={
        !sent && (
          <Button
            size="small"
            pending={pending}
            onClick={() => void submit(() => authApi.resendSignUp(email)).then(setSent)}
          >
            Send the confirmation again
          </Button>
        )
      }
    >
      {sent ? (
        <p role="status">
          If a sign-up with {email} waits for its confirmation, a new mail is on its way.{' '}
          {outboxUrl !== undefined && (
            <>
              Mails of this installation are in the <a href={outboxUrl}>outbox</a>.
            </>
          )}
        </p>
      ) : (
        <p>Check both. If you signed up and have not confirmed your address yet, do that first.</p>
      )}
    </Notice>
  )
}
