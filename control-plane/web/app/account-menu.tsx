import { useEffect, useRef, useState } from 'react'
import { Link, useNavigate } from 'react-router'
import { Avatar } from '../account/avatar.tsx'
import { initials } from '../account/initials.ts'
import { useSession, useSettings } from './session.tsx'
import { api } from '../api.ts'
import { ThemeChoice } from '@svc/shared/design/theme-choice.tsx'

/** Profile, look and sign-out, behind one button. A disclosure, not an ARIA menu: Tab walks through it. */
export function AccountMenu() {
  const { profile } = useSettings()
  const { signOut } = useSession()
  const navigate = useNavigate()
  const [open, setOpen] = useState(false)
  const root = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)

  useEffect(() => {
    if (!open) return
    const closeOutside = (event: Event) => {
      if (event.target instanceof Node && !root.current?.contains(event.target)) setOpen(false)
    }
    const closeByKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return
      setOpen(false)
      button.current?.focus()
    }
    document.addEventListener('pointerdown', closeOutside)
    document.addEventListener('focusin', closeOutside)
    document.addEventListener('keydown', closeByKey)
    return () => {
      document.removeEventListener('pointerdown', closeOutside)
      document.removeEventListener('focusin', closeOutside)
      document.removeEventListener('keydown', closeByKey)
    }
  }, [open])

  return (
    <div className="account-menu" ref={root}>
      <button
        ref={button}
        type="button"
        className="account-button"
        aria-label={`Account ${initials(profile.name) || initials(profile.email)}`}
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        <Avatar name={profile.name} email={profile.email} />
      </button>
      {open && (
        <div className="popover">
          <div className="popover-who">
            <strong>{profile.name}</strong>
            <span>{profile.email}</span>
          </div>
          <Link to="/profile" className="popover-item" onClick={() => setOpen(false)}>
            Profile
          </Link>
          <ThemeChoice
            className="theme-choice"
            name="theme"
            onChosen={(theme) => void api.chooseTheme(theme).catch(() => undefined)}
          />
          <button
            type="button"
            className="popover-item"
            onClick={() => void signOut().then(() => navigate('/sign-in'))}
          >
            Sign out
          </button>
        </div>
      )}
    </div>
  )
}
