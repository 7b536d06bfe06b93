import { Link } from 'react-router'
import { Empty } from '../controls/status.tsx'
import { Page } from './page.tsx'

/** The page for an address that does not exist, or that this person may not see. */
export function NotFoundPage() {
  return (
    <Page title="Nothing here">
      <Empty title="This page does not exist, or you may not see it.">
        <p>
          Check the address, or go back to <Link to="/">your vaults</Link>.
        </p>
      </Empty>
    </Page>
  )
}
