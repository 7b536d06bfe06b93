import { useState } from 'react'
import type { Invitation, Organization } from '../answers.ts'
import { api } from '../api.ts'
import { useSession } from '../app/session.tsx'
import { useSubmit } from '../app/submit.ts'
import { Button } from '../controls/button.tsx'
import { CopyBlock } from '../controls/copy.tsx'
import { FailureNotice } from '../controls/notice.tsx'
import { Time } from '../controls/time.tsx'
import { roleNames } from './membership.ts'

type Props = { organization: Organization; invitation: Invitation }

/** One pending invitation: send it again, copy a link, or withdraw it. */
export function InvitationRow({ organization, invitation: { id, email, role, expiresAt } }: Props) {
  const { refresh } = useSession()
  const { pending, failure, submit } = useSubmit()
  const [sent, setSent] = useState(false)
  const [link, setLink] = useState<string>()

  const resend = async () => {
    await api.inviteMember({ organizationId: organization.id, email, role, resend: true })
    await refresh()
    setSent(true)
  }
  const cancel = async () => {
    await api.cancelInvitation(id)
    await refresh()
  }

  return (
    <li className="row">
      <div className="row-line">
        <div className="row-who">
          <span>{email}</span>
          <small>
            {roleNames[role]} · {sent ? 'sent again · ' : ''}ends <Time at={expiresAt} />
          </small>
        </div>
        <div className="row-actions">
          <Button
            size="small"
            pending={pending}
            aria-label={`Send again: invitation of ${email}`}
            onClick={() => void submit(resend)}
          >
            Send again
          </Button>
          <Button
            size="small"
            pending={pending}
            aria-label={`Get link to the invitation of ${email}`}
            onClick={() => void submit(async () => setLink(await api.copyInvitationLink(organization.id, id)))}
          >
            Get link
          </Button>
          <Button
            size="small"
            look="quiet"
            pending={pending}
            aria-label={`Cancel the invitation of ${email}`}
            onClick={() => void submit(cancel)}
          >
            Cancel
          </Button>
        </div>
      </div>
      {link !== undefined && (
        <>
          <p className="fine">
            Hand this link to {email}. It is shown this once, and works only for somebody who signs in with that address
            and has confirmed it.
          </p>
          <CopyBlock label={`Link for ${email}`} text={link} />
        </>
      )}
      <FailureNotice failure={failure} />
    </li>
  )
}
