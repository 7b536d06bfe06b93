import { loadPart } from '@svc/shared/design/load-part.ts'
import { lazy } from 'react'
import { createBrowserRouter, type RouteObject } from 'react-router'
import { CodePage } from '../account/code-page.tsx'
import { ConfirmSignUpPage } from '../account/confirm-sign-up-page.tsx'
import { ForgottenPasswordPage } from '../account/forgotten-password-page.tsx'
import {
  ChangeEmailPage,
  EmailChangeUndonePage,
  MagicLinkPage,
  UndoEmailChangePage,
  VerifyEmailPage,
} from '../account/mailed-pages.tsx'
import { ResetPasswordPage } from '../account/reset-password-page.tsx'
import { SignInPage } from '../account/sign-in-page.tsx'
import { SignUpPage } from '../account/sign-up-page.tsx'
import { InvitationPage } from '../organizations/invitation-page.tsx'
import { EnterPage } from '../vaults/enter-page.tsx'
import { HomePage } from '../vaults/home-page.tsx'
import { OpenVaultRoute } from '../vaults/open-vault-page.tsx'
import { App, Guests, SignedIn } from './app.tsx'
import { NotFoundPage } from './not-found-page.tsx'
import { PageProblem } from './page-problem.tsx'

// Home, sign-in and vault entry are part of the app; less frequent pages load on demand.
const AdminArea = lazy(() => loadPart(() => import('../admin/admin-area.tsx')))
const SetupPage = lazy(() => loadPart(() => import('../admin/setup-page.tsx')))
const ConnectPage = lazy(() => loadPart(() => import('../agents/connect-page.tsx')))
const ConsentPage = lazy(() => loadPart(() => import('../agents/consent-page.tsx')))
const ChooseModePage = lazy(() => loadPart(() => import('../organizations/choose-mode-page.tsx')))
const CreateHostedPage = lazy(() => loadPart(() => import('../organizations/create-hosted-page.tsx')))
const CreateSelfHostedPage = lazy(() => loadPart(() => import('../organizations/create-self-hosted-page.tsx')))
const OrganizationRoute = lazy(() => loadPart(() => import('../organizations/organization-page.tsx')))
const ProfilePage = lazy(() => loadPart(() => import('../profile/profile-page.tsx')))

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
  { path: 'email-change/undone', element: <EmailChangeUndonePage /> },
  { path: 'invitations/:id', element: <InvitationPage /> },
  { path: 'setup', element: <SetupPage /> },
]

const signedIn: RouteObject[] = [
  { index: true, element: <HomePage /> },
  { path: 'enter', element: <EnterPage /> },
  { path: 'open/:orgSlug/:vaultSlug', element: <OpenVaultRoute /> },
  { path: 'profile', element: <ProfilePage /> },
  { path: 'connect', element: <ConnectPage /> },
  { path: 'consent', element: <ConsentPage /> },
  { path: 'organizations/new', element: <ChooseModePage /> },
  { path: 'organizations/new/self-hosted', element: <CreateSelfHostedPage /> },
  { path: 'organizations/new/hosted', element: <CreateHostedPage /> },
  { path: 'organizations/:slug/:tab?', element: <OrganizationRoute /> },
  { path: 'admin/*', element: <AdminArea /> },
  { path: '*', element: <NotFoundPage /> },
]

/** The pages of the app and who may see them. */
export const createAppRouter = () =>
  createBrowserRouter([
    {
      element: <App />,
      errorElement: <PageProblem />,
      children: [
        { element: <Guests />, children: guests },
        ...open,
        { element: <SignedIn />, children: [{ errorElement: <PageProblem />, children: signedIn }] },
      ],
    },
  ])
