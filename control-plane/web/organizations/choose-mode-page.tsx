import { Link } from 'react-router'
import { Page } from '../app/page.tsx'
import { useSession } from '../app/session.tsx'
import { ModeChoice } from './mode-choice.tsx'

/** First step of a new organization. */
export default function ChooseModePage() {
  const { hosted } = useSession().config
  return (
    <Page
      title="New organization"
      above={
        <Link to="/" className="back-link">
          Vaults
        </Link>
      }
      note={hosted ? 'Where should its vaults be kept?' : 'Its vaults stay on a machine of yours.'}
    >
      <ModeChoice />
    </Page>
  )
}
