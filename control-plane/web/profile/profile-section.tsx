import { useState } from 'react'
import { api } from '../api.ts'
import { useSession, useSettings } from '../app/session.tsx'
import { TextField } from '../controls/field.tsx'
import { Notice } from '../controls/notice.tsx'
import { Section } from '../controls/section.tsx'
import { AccountForm } from '../account/account-form.tsx'
import { Avatar } from '../account/avatar.tsx'

/** The name, as others see it beside notes and in lists. */
export function ProfileSection() {
  const { profile } = useSettings()
  const { refresh } = useSession()
  const [saved, setSaved] = useState(false)

  return (
    <Section title="You" note={profile.email} action={<Avatar name={profile.name} email={profile.email} />}>
      <AccountForm
        submit="Save profile"
        onSubmit={async ({ name = '' }) => {
          setSaved(false)
          await api.updateProfile({ name: name.trim() })
          await refresh()
          setSaved(true)
        }}
      >
        {(problems) => (
          <>
            <TextField
              label="Name"
              name="name"
              defaultValue={profile.name}
              autoComplete="name"
              maxLength={100}
              required
              problem={problems.get('name')}
            />
            {saved && (
              <Notice tone="good">
                <p>Your profile is saved.</p>
              </Notice>
            )}
          </>
        )}
      </AccountForm>
    </Section>
  )
}
