import { authApi } from './auth-api.ts'
import { ForgottenPasswordPage } from './forgotten-password-page.tsx'
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

/** Confirms the new address of the signed-in account. From then on, sign-in uses that address. */
export function ChangeEmailPage() {
  return (
    <LinkPage
      title="Confirm your new e-mail"
      note="One click makes this the address of your account. You are signed out everywhere and sign in with it."
      signInFirst="Sign in with your account as it is now; then one click changes its address."
      action="Change e-mail"
      use={authApi.confirmEmail}
      again={{ to: '/profile', action: 'Ask for a new link' }}
      after="/"
    />
  )
}

/** Restores the old address of an account, for an owner who may not be able to sign in. */
export function UndoEmailChangePage() {
  return (
    <LinkPage
      title="Undo the change of your e-mail"
      note="The account gets its old address back. Every session ends, and so do the password and every way to sign in that was added since. Next, you choose a new password."
      action="Undo the change"
      use={authApi.undoEmailChange}
      again={{ to: '/sign-in', action: 'Sign in' }}
      after="/email-change/undone"
    />
  )
}

/** Leads to the mail for a new password. */
export function EmailChangeUndonePage() {
  return (
    <ForgottenPasswordPage
      title="Your e-mail is as it was"
      note="You get a mail with a link to set a new password. Once you have signed in, look at your passkeys: remove any that you did not add."
    />
  )
}
