import { useState } from 'react'
import { useNavigate } from 'react-router'
import type { Member, Organization } from '../answers.ts'
import { api } from '../api.ts'
import { useSession } from '../app/session.tsx'
import { ConfirmDialog } from '../controls/dialog.tsx'
import { Section } from '../controls/section.tsx'
import { MemberRow } from './member-row.tsx'
import { inOrder } from './membership.ts'

/** The members; an admin changes roles and removes people, and everybody may leave. */
export function MembersSection({ organization }: { organization: Organization }) {
  const { refresh } = useSession()
  const navigate = useNavigate()
  const [removing, setRemoving] = useState<Member>()
  const [leaving, setLeaving] = useState(false)
  const count = organization.members.length

  return (
    <Section title="Members" note={count === 1 ? 'One person' : `${count} people`}>
      <ul className="rows">
        {inOrder(organization.members).map((member) => (
          <MemberRow
            key={member.id}
            {...{ organization, member }}
            onRemove={() => setRemoving(member)}
            onLeave={() => setLeaving(true)}
          />
        ))}
      </ul>
      {leaving && (
        <ConfirmDialog
          title={`Leave ${organization.name}?`}
          confirm="Leave"
          look="danger"
          onConfirm={async () => {
            await api.leaveOrganization(organization.id)
            await navigate('/')
            await refresh()
          }}
          onClose={() => setLeaving(false)}
        >
          <p>
            You lose access to its vaults at once; open pages are cut off within seconds. Notes that you wrote stay. An
            admin has to invite you to come back.
          </p>
        </ConfirmDialog>
      )}
      {removing !== undefined && (
        <ConfirmDialog
          title={`Remove ${removing.name || removing.email}?`}
          confirm="Remove"
          look="danger"
          onConfirm={async () => {
            await api.removeMember(organization.id, removing.id)
            await refresh()
          }}
          onClose={() => setRemoving(undefined)}
        >
          <p>
            {removing.email} loses access to the vaults of {organization.name} at once; open pages are cut off within
            seconds. Notes that they wrote stay.
          </p>
        </ConfirmDialog>
      )}
    </Section>
  )
}
