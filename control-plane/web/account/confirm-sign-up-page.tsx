import { useState } from 'react'
import type { SignUpView } from '../answers.ts'
import { navigate, useAddress } from '../app/navigation.tsx'
import { useResource } from '../app/resource.ts'
import { readNext } from '../app/routes.ts'
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

/** Confirms the address of a sign-up. That makes the account and signs in. */
export function ConfirmSignUpPage() {
  const { mailed, forget } = useMailedToken()
  if (mailed.state !== 'token') return <SpentLink title={TITLE} code="link_invalid" {...again} />
  return <Opened token={mailed.token} forget={forget} />
}

type OpenedProps = { token: string; forget: () => void }

function Opened({ token, forget }: OpenedProps) {
  const { resource, reload } = useResource(`sign-up ${token}`, () => authApi.previewSignUp(token))
  if (resource.state === 'failed' && resource.failure.code === 'link_invalid')
    return <SpentLink title={TITLE} code="link_invalid" {...again} />
  if (resource.state !== 'ready')
    return (
      <Door title={TITLE}>
        <Loaded resource={resource} what="the sign-up" reload={reload}>
          {() => null}
        </Loaded>
      </Door>
    )
  return <Confirm signUp={resource.value} {...{ token, forget }} />
}

function Confirm({ signUp: { email, name, sameBrowser }, token, forget }: OpenedProps & { signUp: SignUpView }) {
  const { refresh } = useSession()
  const { search } = useAddress()
  const [next] = useState(() => readNext(search))

  const confirm = async (chosen: Record<string, string>) => {
    const account = sameBrowser ? {} : { account: { name: chosen['name'] ?? '', password: chosen['password'] ?? '' } }
    await authApi.confirmSignUp({ token, ...account })
    forget()
    await refresh()
    navigate(next)
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
