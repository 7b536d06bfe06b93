import { useEffect } from 'react'
import { Page } from '../app/page.tsx'
import { Loading } from '../controls/loaded.tsx'
import { Notice } from '../controls/notice.tsx'

const reasons: Record<string, string> = {
  invalid_client: 'svc does not know this program any more. Remove svc from the program and add it again.',
  invalid_redirect: 'The program asks for an answer at an address that it did not register.',
  client_disabled: 'This program has been switched off here.',
}

/**
 * Holds the request of a program during the sign-in. With a session it continues at once; an invalid request ends here.
 */
export default function ConnectPage() {
  const { search } = location
  const error = new URLSearchParams(search).get('error')
  useEffect(() => {
    if (error === null) location.replace(`/oauth2/authorize${search}`)
  }, [error, search])

  if (error === null)
    return (
      <Page title="Connecting a program">
        <Loading what="the request" />
      </Page>
    )
  return (
    <Page title="The program could not be connected">
      <Notice tone="danger">
        <p>{reasons[error] ?? 'The request of the program is not valid. Start again in the program.'}</p>
      </Notice>
    </Page>
  )
}
