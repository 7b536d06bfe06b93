import { useRouteError } from 'react-router'
import { Button } from '../controls/button.tsx'
import { Notice } from '../controls/notice.tsx'
import { Page } from './page.tsx'

/** Shown instead of a page that could not be loaded or rendered. */
export function PageProblem() {
  const error = useRouteError()
  return (
    <Page title="This page cannot be shown">
      <Notice tone="danger" action={<Button onClick={() => location.reload()}>Load it again</Button>}>
        <p>
          {navigator.onLine
            ? 'A part of this page could not be loaded, or failed. What you saved is safe.'
            : 'You are offline, and a part of this page is not here yet. What you saved is safe.'}
        </p>
        {error instanceof Error && (
          <p className="fine">
            <code>{error.message}</code>
          </p>
        )}
      </Notice>
    </Page>
  )
}
