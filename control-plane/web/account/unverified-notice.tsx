import { useState } from 'react'
import { readNext } from '../app/routes.ts'
import { useSubmit } from '../app/submit.ts'
import { Button } from '../controls/button.tsx'
import { FailureNotice, Notice } from '../controls/notice.tsx'
import { authApi } from './auth-api.ts'

/** Sign-in is refused until the e-mail is verified; the mail can be sent again. */
export function UnverifiedNotice({ email }: { email: string }) {
  const { pending, failure, submit } = useSubmit()
  const [sent, setSent] = useState(false)
  if (failure !== undefined) return <FailureNotice failure={failure} />
  return (
    <Notice
      tone="warning"
      title="Verify your e-mail first"
      action={
        !sent && (
          <Button
            size="small"
            pending={pending}
            onClick={() => void submit(() => authApi.sendVerification(email, readNext(location.search))).then(setSent)}
          >
            Send again
          </Button>
        )
      }
    >
      <p>{sent ? `A new mail is on its way to ${email}.` : `Open the link in the mail that was sent to ${email}.`}</p>
    </Notice>
  )
}
