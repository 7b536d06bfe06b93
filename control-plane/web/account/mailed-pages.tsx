import { authApi } from './auth-api.ts'
import { LinkPage } from './link-page.tsx'

/** Signs in with a mailed link. */
export function MagicLinkPage() {
  return (
    <LinkPage
      title="Sign in"
      note="Your mailed link is ready. It works once."
      action="Sign in"
      use={authApi.signInByLink}
      again={{ to: '/sign-in', action: 'Ask for a new link' }}
    />
  )
}

/** Confirms an e-mail, for the person who is signed in with it. */
export function VerifyEmailPage() {
  return (
    <LinkPage
      title="Verify your e-mail"
      note="One click confirms that this address is yours."
      signInFirst="Sign in with this address first; then one click confirms that it is yours."
      action="Verify e-mail"
      use={authApi.verifyEmail}
      again={{ to: '/', action: 'Go on' }}
    />
  )
}
