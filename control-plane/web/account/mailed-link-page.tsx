import { useState } from 'react'
import { navigate, useAddress } from '../app/navigation.tsx'
import { readNext } from '../app/routes.ts'
import { useSession } from '../app/session.tsx'
import { AccountForm } from './account-form.tsx'
import { authApi } from './auth-api.ts'
import { Door } from './door.tsx'
import { useMailedToken } from './mailed-token.ts'
import { SpentLink } from './spent-link.tsx'

const kinds = {
  'magic-link': {
    title: 'Sign in',
    note: 'Your mailed link is ready. It works once.',
    action: 'Sign in',
    again: { to: '/sign-in', action: 'Ask for a new link' },
    use: authApi.useMagicLink,
  },
  'verify-email': {
    title: 'Verify your e-mail',
    note: 'One click confirms that this address is yours.',
    action: 'Verify e-mail',
    again: { to: '/sign-in', action: 'Sign in to get a new link' },
    use: authApi.verifyEmail,
  },
}

/** Uses a mailed link. A click does it, since mail scanners open links on their own. */
export function MailedLinkPage({ kind }: { kind: keyof typeof kinds }) {
  const { title, note, action, again, use } = kinds[kind]
  const { search } = useAddress()
  const [next] = useState(() => readNext(search))
  const mailed = useMailedToken()
  const { refresh } = useSession()

  if (mailed.state !== 'token')
    return <SpentLink title={title} code={mailed.state === 'refused' ? mailed.code : 'INVALID_TOKEN'} {...again} />

  return (
    <Door title={title} note={note}>
      <AccountForm
        submit={action}
        onSubmit={async () => {
          await use(mailed.token)
          await refresh()
          navigate(next)
        }}
      >
        {() => null}
      </AccountForm>
    </Door>
  )
}
