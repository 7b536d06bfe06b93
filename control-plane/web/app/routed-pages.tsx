import { CodePage } from '../account/code-page.tsx'
import { ConfirmSignUpPage } from '../account/confirm-sign-up-page.tsx'
import { ForgottenPasswordPage } from '../account/forgotten-password-page.tsx'
import { ChangeEmailPage, MagicLinkPage, UndoEmailChangePage, VerifyEmailPage } from '../account/mailed-pages.tsx'
import { ProfilePage } from '../profile/profile-page.tsx'
import { ResetPasswordPage } from '../account/reset-password-page.tsx'
import { SignInPage } from '../account/sign-in-page.tsx'
import { SignUpPage } from '../account/sign-up-page.tsx'
import { AdminArea } from '../admin/admin-area.tsx'
import { SetupPage } from '../admin/setup-page.tsx'
import { ConnectPage } from '../agents/connect-page.tsx'
import { ConsentPage } from '../agents/consent-page.tsx'
import { ChooseModePage } from '../organizations/choose-mode-page.tsx'
import { CreateHostedPage } from '../organizations/create-hosted-page.tsx'
import { CreateSelfHostedPage } from '../organizations/create-self-hosted-page.tsx'
import { InvitationPage } from '../organizations/invitation-page.tsx'
import { OrganizationPage } from '../organizations/organization-page.tsx'
import { EnterPage } from '../vaults/enter-page.tsx'
import { HomePage } from '../vaults/home-page.tsx'
import { OpenVaultPage } from '../vaults/open-vault-page.tsx'
import { NotFoundPage } from './not-found-page.tsx'
import type { Route } from './routes.ts'

/** Pages in front of the app: those without a session, and those that do not care. */
export function DoorPage({ route }: { route: Route }) {
  if (route.page === 'sign-in-code') return <CodePage />
  if (route.page === 'sign-up') return <SignUpPage />
  if (route.page === 'forgotten-password') return <ForgottenPasswordPage />
  if (route.page === 'reset-password') return <ResetPasswordPage />
  if (route.page === 'confirm-sign-up') return <ConfirmSignUpPage />
  if (route.page === 'magic-link') return <MagicLinkPage />
  if (route.page === 'verify-email') return <VerifyEmailPage />
  if (route.page === 'change-email') return <ChangeEmailPage />
  if (route.page === 'undo-email-change') return <UndoEmailChangePage />
  if (route.page === 'setup') return <SetupPage />
  if (route.page === 'invitation') return <InvitationPage id={route.id} />
  return <SignInPage />
}

/** Pages of somebody who is signed in. */
export function FramedPage({ route }: { route: Route }) {
  switch (route.page) {
    case 'home':
      return <HomePage />
    case 'profile':
      return <ProfilePage />
    case 'connect':
      return <ConnectPage />
    case 'consent':
      return <ConsentPage />
    case 'new-organization':
      if (route.kind === 'self-hosted') return <CreateSelfHostedPage />
      return route.kind === 'hosted' ? <CreateHostedPage /> : <ChooseModePage />
    case 'organization':
      return <OrganizationPage key={route.slug} slug={route.slug} tab={route.tab} />
    case 'enter':
      return <EnterPage />
    case 'open':
      return <OpenVaultPage key={`${route.orgSlug}/${route.vaultSlug}`} {...route} />
    case 'admin':
    case 'admin-daemon':
    case 'admin-claims':
    case 'admin-audit':
    case 'admin-rollouts':
    case 'admin-rollout':
      return <AdminArea route={route} />
    default:
      return <NotFoundPage />
  }
}
