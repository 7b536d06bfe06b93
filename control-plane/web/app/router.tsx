import { loadPart } from '@svc/shared/design/load-part.ts'
import { createBrowserRouter, type RouteObject } from 'react-router'
import { CodePage } from '../account/code-page.tsx'
import { ConfirmSignUpPage } from '../account/confirm-sign-up-page.tsx'
import { ForgottenPasswordPage } from '../account/forgotten-password-page.tsx'
import { ChangeEmailPage, MagicLinkPage, UndoEmailChangePage, VerifyEmailPage } from '../account/mailed-pages.tsx'
import { ResetPasswordPage } from '../account/reset-password-page.tsx'
import { SignInPage } from '../account/sign-in-page.tsx'
import { SignUpPage } from '../account/sign-up-page.tsx'
import { InvitationPage } from '../organizations/invitation-page.tsx'
import { EnterPage } from '../vaults/enter-page.tsx'
import { HomePage } from '../vaults/home-page.tsx'
import { OpenVaultRoute } from '../vaults/open-vault-page.tsx'
import { App, Guests, SignedIn, Splash } from './app.tsx'
import { NotFoundPage } from './not-found-page.tsx'
import { PageProblem } from './page-problem.tsx'

const guests: RouteObject[] = [
  { path: 'sign-in', element: <SignInPage /> },
  { path: 'sign-in/code', element: <CodePage /> },
  { path: 'sign-up', element: <SignUpPage /> },
  { path: 'forgotten-password', element: <ForgottenPasswordPage /> },
]

// With and without a session.
const open: RouteObject[] = [
  { path: 'sign-up/confirm', element: <ConfirmSignUpPage /> },
  { path: 'sign-in/link', element: <MagicLinkPage /> },
  { path: 'reset-password', element: <ResetPasswordPage /> },
  { path: 'verify-email', element: <VerifyEmailPage /> },
  { path: 'email-change', element: <ChangeEmailPage /> },
  { path: 'email-change/undo', element: <UndoEmailChangePage /> },
  { path: 'invitations/:id', element: <InvitationPage /> },
  {
    path: 'setup',
    lazy: () => loadPart(async () => ({ Component: (await import('../admin/setup-page.tsx')).SetupPage })),
  },
]

// Home and the ways into a vault come with the app; what is visited less often loads when it is.
const signedIn: RouteObject[] = [
  { index: true, element: <HomePage /> },
  { path: 'enter', element: <EnterPage /> },
  { path: 'open/:orgSlug/:vaultSlug', element: <OpenVaultRoute /> },
  {
    path: 'profile',
    lazy: () => loadPart(async () => ({ Component: (await import('../profile/profile-page.tsx')).ProfilePage })),
  },
  {
    path: 'connect',
    lazy: () => loadPart(async () => ({ Component: (await import('../agents/connect-page.tsx')).ConnectPage })),
  },
  {
    path: 'consent',
    lazy: () => loadPart(async () => ({ Component: (await import('../agents/consent-page.tsx')).ConsentPage })),
  },
  {
    path: 'organizations/new',
    lazy: () =>
      loadPart(async () => ({ Component: (await import('../organizations/choose-mode-page.tsx')).ChooseModePage })),
  },
  {
    path: 'organizations/new/self-hosted',
    lazy: () =>
      loadPart(async () => ({
        Component: (await import('../organizations/create-self-hosted-page.tsx')).CreateSelfHostedPage,
      })),
  },
  {
    path: 'organizations/new/hosted',
    lazy: () =>
      loadPart(async () => ({
        Component: (await import('../organizations/create-hosted-page.tsx')).CreateHostedPage,
      })),
  },
  {
    path: 'organizations/:slug/:tab?',
    lazy: () =>
      loadPart(async () => ({ Component: (await import('../organizations/organization-page.tsx')).OrganizationRoute })),
  },
  {
    path: 'admin/*',
    lazy: () => loadPart(async () => ({ Component: (await import('../admin/admin-area.tsx')).AdminArea })),
  },
  { path: '*', element: <NotFoundPage /> },
]

/** The pages of the app and who may see them. */
export const makeRouter = () =>
  createBrowserRouter([
    {
      element: <App />,
      hydrateFallbackElement: <Splash />,
      errorElement: <PageProblem />,
      children: [
        { element: <Guests />, children: guests },
        ...open,
        { element: <SignedIn />, children: [{ errorElement: <PageProblem />, children: signedIn }] },
      ],
    },
  ])
