import { useState } from 'react'
import { useSettings } from '../app/session.tsx'
import { Notice } from '../controls/notice.tsx'
import { Section } from '../controls/section.tsx'
import { AccountForm } from '../account/account-form.tsx'
import { PasswordField } from '../account/account-fields.tsx'
import { authApi } from '../account/auth-api.ts'

/** Changes the password and ends every other session. */
export function PasswordSection() {
  const { profile } = useSettings()
  const [round, setRound] = useState(0)

  return (
    <Section
      title="Password"
      note="Changing it signs you out everywhere else. Without one (mailed link, other provider), use “Forgotten password” to set it."
    >
      <AccountForm
        key={round}
        submit="Change password"
        onSubmit={async ({ currentPassword = '', newPassword = '' }) => {
          await authApi.changePassword({ currentPassword, newPassword })
          setRound(round + 1)
        }}
      >
        {(problems) => (
          <>
            <input type="hidden" name="username" autoComplete="username" value={profile.email} />
            <PasswordField
              kind="current"
              label="Current password"
              name="currentPassword"
              problem={problems.get('currentPassword')}
            />
            <PasswordField kind="new" label="New password" name="newPassword" problem={problems.get('newPassword')} />
            {round > 0 && (
              <Notice tone="good">
                <p>The password is changed; all other sessions were ended.</p>
              </Notice>
            )}
          </>
        )}
      </AccountForm>
    </Section>
  )
}
