import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useNavigate, useParams } from 'react-router'
import type { InvitationView } from '../answers.ts'
import { PasswordField } from '../account/account-fields.tsx'
import { AccountForm } from '../account/account-form.tsx'
import { Door } from '../account/door.tsx'
import { useMailedToken } from '../account/mailed-token.ts'
import { SignedInAs } from '../account/signed-in-as.tsx'
import { SpentLink } from '../account/spent-link.tsx'
import { api } from '../api.ts'
import { isFailure } from '../api-failure.ts'
import { pathTo } from '../app/paths.ts'
import { useSession } from '../app/session.tsx'
import { TextField } from '../controls/field.tsx'
import { Loaded } from '../controls/loaded.tsx'
import { Notice } from '../controls/notice.tsx'
import { Time } from '../controls/time.tsx'
import { roleNames } from './membership.ts'

type Props = { id: string }

/** An invitation: from whom, to which organization, for whom. Viewing it does not accept it. */
export function InvitationPage() {
  const { id = '' } = useParams()
  const { mailed, forget } = useMailedToken()
  if (mailed.state !== 'token')
    return <SpentLink title="You are invited" code="invitation_invalid" to="/" action="Go on" />
  return <Opened id={id} token={mailed.token} forget={forget} />
}

type OpenedProps = Props & { token: string; forget: () => void }

function Opened({ id, token, forget }: OpenedProps) {
  const preview = useQuery({ queryKey: ['invitation', id], queryFn: () => api.previewInvitation(id, token) })
  if (isFailure(preview.error, 'invitation_invalid'))
    return <SpentLink title="You are invited" code="invitation_invalid" to="/" action="Go on" />
  if (preview.data === undefined)
    return (
      <Door title="You are invited">
        <Loaded query={preview} what="the invitation">
          {() => null}
        </Loaded>
      </Door>
    )
  return <Answer invitation={preview.data} {...{ id, token, forget }} />
}

function Answer({ invitation, id, token, forget }: OpenedProps & { invitation: InvitationView }) {
  const { settings, refresh } = useSession()
  const navigate = useNavigate()
  const { organization, inviter, email, role, expiresAt } = invitation

  const accept = async () => {
    await api.acceptInvitation({ invitationId: id, token })
    forget()
    await refresh()
    await navigate('/')
  }
  const join = async ({ name = '', password = '' }: Record<string, string>) => {
    await api.createInvitedAccount(id, { token, name: name.trim(), password })
    await accept()
  }

  return (
    <Door
      title={`Join ${organization.name}`}
      note={
        <>
          <strong>{inviter.name}</strong> invites <strong>{email}</strong> to {organization.name} as{' '}
          {roleNames[role].toLowerCase()}. The invitation ends <Time at={expiresAt} />.
        </>
      }
      below={settings !== undefined && <Link to="/">Not now</Link>}
    >
      {settings === undefined ? (
        <SignedOut invitation={invitation} path={`/invitations/${id}`} join={join} />
      ) : settings.profile.email.toLowerCase() === email.toLowerCase() ? (
        <AccountForm submit={`Join ${organization.name}`} onSubmit={accept}>
          {() => <SignedInAs />}
        </AccountForm>
      ) : (
        <div className="stack">
          <Notice tone="warning" title="This invitation is for another address">
            <p>Sign out, then open it again and go on as {email}.</p>
          </Notice>
          <SignedInAs />
        </div>
      )}
    </Door>
  )
}

type SignedOutProps = {
  invitation: InvitationView
  path: string
  join: (values: Record<string, string>) => Promise<void>
}

function SignedOut({ invitation: { organization, email, proven, hasAccount }, path, join }: SignedOutProps) {
  const [signsUp, setSignsUp] = useState(proven && hasAccount !== true)
  if (signsUp && proven)
    return (
      <>
        <AccountForm submit={`Create account and join ${organization.name}`} onSubmit={join}>
          {(problems) => (
            <>
              <TextField
                label="Name"
                name="name"
                autoComplete="name"
                maxLength={100}
                required
                autoFocus
                problem={problems.get('name')}
              />
              <PasswordField kind="new" problem={problems.get('password')} />
            </>
          )}
        </AccountForm>
        <p className="fine">
          Have an account for {email}?{' '}
          <button type="button" className="text-button" onClick={() => setSignsUp(false)}>
            Sign in
          </button>
        </p>
      </>
    )
  return (
    <div className="stack">
      <p>Go on with {email}; this page comes back by itself.</p>
      <Link to={pathTo.signIn(path)} className="button button-primary button-normal">
        Sign in
      </Link>
      {hasAccount !== true && (
        <Link to={pathTo.signUp(path)} className="button button-plain button-normal">
          Create an account
        </Link>
      )}
    </div>
  )
}
