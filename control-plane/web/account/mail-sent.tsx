import { useState } from 'react'
import { useSession } from '../app/session.tsx'
import { useSubmit } from '../app/submit.ts'
import { Button } from '../controls/button.tsx'
import { FailureNotice, Notice } from '../controls/notice.tsx'

type Props = { email: string; what: string; resend: () => Promise<unknown> }

/** Says which mail was sent to which address, offers to send it again, and links to the outbox if there is one. */
export function MailSent({ email, what, resend }: Props) {
  const { outboxUrl } = useSession().config
  const { pending, failure, submit } = useSubmit()
  const [again, setAgain] = useState(false)

  return (
    <div className="stack">
      <p>
        If <strong>{email}</strong> can be used here, {what} is on its way. It may take a minute; look among unwanted
        mail too.
      </p>
      {outboxUrl !== undefined && (
        <Notice>
          <p>
            This installation sends no mail. Its messages are in the <a href={outboxUrl}>outbox</a>.
          </p>
        </Notice>
      )}
      <FailureNotice failure={failure} />
      {again && failure === undefined && (
        <Notice tone="good">
          <p>Sent again.</p>
        </Notice>
      )}
      <Button
        pending={pending}
        onClick={() => {
          setAgain(false)
          void submit(resend).then(setAgain)
        }}
      >
        Send it again
      </Button>
    </div>
  )
}
