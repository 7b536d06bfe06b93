import { useState } from 'react'
import { authApi } from '../account/auth-api.ts'
import { MailSent } from '../account/mail-sent.tsx'
import { explainFresh } from '../account/fresh-sign-in.tsx'
import { useSettings } from '../app/session.tsx'
import { Button } from '../controls/button.tsx'
import { ConfirmDialog } from '../controls/dialog.tsx'
import { TextField } from '../controls/field.tsx'
import { Section } from '../controls/section.tsx'

/** The address of the account, with a form to change it. */
export function EmailSection() {
  const { profile } = useSettings()
  const [open, setOpen] = useState(false)
  const [email, setEmail] = useState('')
  const [sentTo, setSentTo] = useState<string>()

  return (
    <Section
      title="E-mail"
      note={`${profile.email}. Sign-in, invitations and mails go by this address.`}
      action={
        <Button disabled={!profile.emailVerified} onClick={() => setOpen(true)}>
          Change e-mail
        </Button>
      }
    >
      {sentTo !== undefined && (
        <MailSent
          email={sentTo}
          what="a link that confirms the new address"
          resend={() => authApi.changeEmail(sentTo)}
        />
      )}
      {open && (
        <ConfirmDialog
          title="Change e-mail"
          confirm="Send the link"
          ready={email.trim() !== '' && email.trim().toLowerCase() !== profile.email}
          onConfirm={async () => {
            await authApi.changeEmail(email.trim())
            setSentTo(email.trim())
          }}
          onClose={() => setOpen(false)}
          explainFailure={explainFresh}
        >
          <p>
            The address changes when you open the link that is mailed to the new one. You are then signed out
            everywhere, and programs that you connected end. The old address gets a mail that can undo it for a week.
          </p>
          <TextField
            label="New e-mail"
            type="email"
            autoComplete="email"
            autoFocus
            required
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
        </ConfirmDialog>
      )}
    </Section>
  )
}
