import type { ReactNode } from 'react'
import { Link, useLocation } from 'react-router'
import { VerifyBanner } from '../account/verify-banner.tsx'
import { OfflineNote } from '../live/offline-note.tsx'
import { AccountMenu } from './account-menu.tsx'
import { Mark } from '@svc/shared/design/mark.tsx'
import { useSettings } from './session.tsx'

/** The frame of every page for signed-in people. */
export function Frame({ children }: { children: ReactNode }) {
  const { systemAdmin } = useSettings()
  const { pathname } = useLocation()
  const atAdmin = pathname.split('/', 2)[1] === 'admin'
  return (
    <div className="sheet">
      <a className="skip-link" href="#content">
        Skip to content
      </a>
      <header className="top">
        <div className="top-inner">
          <Link to="/" className="brand" aria-label="svc, home">
            <Mark />
            <span>svc</span>
          </Link>
          <nav aria-label="Main">
            <Link to="/" aria-current={atAdmin || pathname === '/profile' ? undefined : 'page'}>
              Vaults
            </Link>
            {systemAdmin && (
              <Link to="/admin" aria-current={atAdmin ? 'page' : undefined}>
                Administration
              </Link>
            )}
          </nav>
          <AccountMenu />
        </div>
      </header>
      <main id="content" className="content" tabIndex={-1}>
        <OfflineNote />
        {!atAdmin && <VerifyBanner />}
        {children}
      </main>
    </div>
  )
}
