import { Link } from 'react-router'
import { Page } from '../app/page.tsx'
import { ModeChoice } from './mode-choice.tsx'

/** First step of a new organization. */
export default function ChooseModePage() {
  return (
    <Page
      title="New organization"
      above={
        <Link to="/" className="back-link">
          Vaults
        </Link>
      }
      note="Where should its vaults be kept?"
    >
      <ModeChoice />
    </Page>
  )
}
