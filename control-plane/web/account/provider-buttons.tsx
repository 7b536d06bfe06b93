import { useSession } from '../app/session.tsx'
import { useSubmit } from '../app/submit.ts'
import { Button } from '../controls/button.tsx'
import { FailureNotice } from '../controls/notice.tsx'
import { authApi } from './auth-api.ts'

/** One button for each provider that is configured. The browser leaves for the provider's page. */
export function ProviderButtons({ next }: { next: string }) {
  const { providers } = useSession().config
  const { pending, failure, submit } = useSubmit()

  const leaveFor = async (provider: string) => {
    const { url } = await authApi.signInWith(provider, next)
    if (url !== undefined) location.assign(url)
  }

  return (
    <>
      {providers.map(({ id, name }) => (
        <Button key={id} pending={pending} onClick={() => void submit(() => leaveFor(id))}>
          Continue with {name}
        </Button>
      ))}
      <FailureNotice failure={failure} />
    </>
  )
}
