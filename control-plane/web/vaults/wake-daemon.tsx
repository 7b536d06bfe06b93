import type { OrganizationVaults } from '../answers.ts'
import { api } from '../api.ts'
import { useSubmit } from '../app/submit.ts'
import { Button } from '../controls/button.tsx'
import { FailureNotice } from '../controls/notice.tsx'

type Props = { organization: Pick<OrganizationVaults, 'orgSlug' | 'orgName'>; onWoken: () => void }

/** Wakes a hosted daemon. While it sleeps, its vaults cannot be listed. */
export function WakeDaemon({ organization: { orgSlug, orgName }, onWoken }: Props) {
  const { pending, failure, submit } = useSubmit()
  const wake = async () => {
    await api.wakeHosted(orgSlug)
    onWoken()
  }
  return (
    <div className="wake stack">
      <Button look="tinted" pending={pending} aria-label={`Wake ${orgName}`} onClick={() => void submit(wake)}>
        Wake and show vaults
      </Button>
      <FailureNotice failure={failure} />
    </div>
  )
}
