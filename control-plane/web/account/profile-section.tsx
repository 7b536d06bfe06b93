import { useState } from 'react'
import { api } from '../api.ts'
import { useSession, useSettings } from '../app/session.tsx'
import { TextField } from '../controls/field.tsx'
import { Notice } from '../controls/notice.tsx'
import { Section } from '../controls/section.tsx'
import { AccountForm } from './account-form.tsx'
import { Avatar } from './avatar.tsx'

/** Name and picture, as others see them beside notes and in lists. */
export function ProfileSection() {
  const { profile } = useSettings()
  const { refresh } = useSession()
  const [saved, setSaved] = useState(false)

  return (
    <Section title="You" note={profile.email} action={<Avatar {...profile} />}>
      <AccountForm
        submit="Save profile"
        onSubmit={async ({ name = '', image = '' }) => {
          setSaved(false)
          await api.updateProfile({ name: name.trim(), image: image.trim() === '' ? null : image.trim() })
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
            <TextField
              label="Picture address"
              name="image"
              type="url"
              defaultValue={profile.image ?? ''}
              maxLength={2048}
              placeholder="https://…"
              problem={problems.get('image')}
              hint="Address of a picture of you. Without one, your initials are shown."
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
