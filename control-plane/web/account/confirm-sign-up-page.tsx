import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation, useNavigate } from 'react-router'
import type { SignUpView } from '../answers.ts'
import { isFailure } from '../api-failure.ts'
import { readNext } from '../app/paths.ts'
import { useSession } from '../app/session.tsx'
import { TextField } from '../controls/field.tsx'
import { Loaded } from '../controls/loaded.tsx'
import { AccountForm } from './account-form.tsx'
import { PasswordField } from './account-fields.tsx'
import { authApi } from './auth-api.ts'
import { Door } from './door.tsx'
import { useMailedToken } from './mailed-token.ts'
import { SpentLink } from './spent-link.tsx'

const TITLE = 'Confirm your e-mail'
const again = { to: '/sign-in', action: 'Sign in or ask for a new one' }

/** Confirms the address of a sign-up, which creates the account and signs the person in. */
export function ConfirmSignUpPage() {
  const { mailed, forget } = useMailedToken()
  if (mailed.state !== 'token') return <SpentLink title={TITLE} code="link_invalid" {...again} />
  return <Opened token={mailed.token} forget={forget} />
}

type OpenedProps = { token: string; forget: () => void }

function Opened({ token, forget }: OpenedProps) {
  const preview = useQuery({ queryKey: ['sign-up', token], queryFn: () => authApi.previewSignUp(token) })
  if (isFailure(preview.error, 'link_invalid')) return <SpentLink title={TITLE} code="link_invalid" {...again} />
  if (preview.data === undefined)
    return (
      <Door title={TITLE}>
        <Loaded query={preview} what="the sign-up">
          {() => null}
        </Loaded>
      </Door>
    )
  return <Confirm signUp={preview.data} {...{ token, forget }} />
}

function Confirm({ signUp: { email, name, sameBrowser }, token, forget }: OpenedProps & { signUp: SignUpView }) {
  const { refresh } = useSession()
  const navigate = useNavigate()
  const { search } = useLocation()
  const [next] = useState(() => readNext(search))

  const confirm = async (chosen: Record<string, string>) => {
    const account = sameBrowser ? {} : { account: { name: chosen['name'] ?? '', password: chosen['password'] ?? '' } }
    await authApi.confirmSignUp({ token, ...account })
    forget()
    await refresh()
    await navigate(next)
  }

  return (
    <Door
      title={TITLE}
      note={
        sameBrowser ? (
          <>
            One click confirms that <strong>{email}</strong> is yours, and signs you in.
          </>
        ) : (
          <>
            This browser is not the one that signed up with <strong>{email}</strong>, so choose your name and password
            here.
          </>
        )
      }
    >
      <AccountForm submit="Confirm and sign in" onSubmit={confirm}>
        {(problems) =>
          !sameBrowser && (
            <>
              <TextField
                label="Name"
                name="name"
                autoComplete="name"
                maxLength={100}
                required
                defaultValue={name}
                problem={problems.get('name')}
              />
              <PasswordField kind="new" problem={problems.get('password')} />
            </>
          )
        }
      </AccountForm>
    </Door>
  )
}
