import { useId, useRef, useState } from 'react'
import { Link, useNavigate } from 'react-router'
import { Avatar } from '../account/avatar.tsx'
import { initials } from '../account/initials.ts'
import { FailureNotice } from '../controls/notice.tsx'
import { useSession, useSettings } from './session.tsx'
import { useSubmit } from './submit.ts'
import { api } from '../api.ts'
import { ThemeChoice } from '@svc/shared/design/theme-choice.tsx'

/**
 * Profile, theme and sign-out behind one button. A disclosure, not an ARIA menu: Tab moves through it, and the browser
 * closes it.
 */
export function AccountMenu() {
  const { profile } = useSettings()
  const { signOut } = useSession()
  const navigate = useNavigate()
  const id = useId()
  const [isOpen, setOpen] = useState(false)
  const menu = useRef<HTMLDivElement>(null)
  const { failure, submit, forget } = useSubmit()
  const leave = async () => {
    if (await submit(signOut)) await navigate('/sign-in')
  }
  const close = () => menu.current?.hidePopover()

  return (
    <div className="account-menu">
      <button
        type="button"
        className="account-button"
        aria-label={`Account ${initials(profile.name) || initials(profile.email)}`}
        aria-expanded={isOpen}
        popoverTarget={id}
      >
        <Avatar name={profile.name} email={profile.email} />
      </button>
      <div
        id={id}
        ref={menu}
        popover="auto"
        className="popover"
        onToggle={({ newState }) => {
          setOpen(newState === 'open')
          if (newState === 'open' && failure) forget()
        }}
      >
        <div className="popover-who">
          <strong>{profile.name}</strong>
          <span>{profile.email}</span>
        </div>
        <Link to="/profile" className="popover-item" onClick={close}>
          Profile
        </Link>
        <ThemeChoice
          className="theme-choice"
          name="theme"
          onChosen={(theme) => void api.chooseTheme(theme).catch(() => undefined)}
        />
        <button type="button" className="popover-item" onClick={() => void leave()}>
          Sign out
        </button>
        <FailureNotice failure={failure} />
      </div>
    </div>
  )
}
