import type { Organization } from '../answers.ts'
import { api } from '../api.ts'
import { useSession, useSettings } from '../app/session.tsx'
import { useSubmit } from '../app/submit.ts'
import { FailureNotice } from '../controls/notice.tsx'
import { Section } from '../controls/section.tsx'
import { Switch } from '../controls/switch.tsx'

/** Lets people of the admin's own e-mail domain in without an invitation. */
export function AutoAdmitSection({ organization }: { organization: Organization }) {
  const { profile } = useSettings()
  const { refresh } = useSession()
  const { pending, failure, submit } = useSubmit()
  const { enabled, domain } = organization.autoAdmit ?? { enabled: false }
  const shownDomain = (enabled ? domain : undefined) ?? profile.email.slice(profile.email.lastIndexOf('@') + 1)

  const change = async (on: boolean) => {
    await api.setAutoAdmit(organization.id, on)
    await refresh()
  }

  return (
    <Section title="Who may join">
      <Switch
        label="Admit colleagues automatically"
        hint={
          <>
            {enabled ? 'Everybody' : 'When on, everybody'} with a verified address at <strong>{shownDomain}</strong>{' '}
            becomes a member when they sign in. Domains of public mail providers are refused.
          </>
        }
        on={enabled}
        pending={pending}
        onChange={(on) => void submit(() => change(on))}
      />
      <FailureNotice failure={failure} />
    </Section>
  )
}
