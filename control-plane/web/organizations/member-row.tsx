import type { Member, Organization, Role } from '../answers.ts'
import { Avatar } from '../account/avatar.tsx'
import { api } from '../api.ts'
import { useSession, useSettings } from '../app/session.tsx'
import { useSubmit } from '../app/submit.ts'
import { Button } from '../controls/button.tsx'
import { FailureNotice } from '../controls/notice.tsx'
import { Badge } from '../controls/status.tsx'
import { isLastAdmin, roleNames } from './membership.ts'

type Props = { organization: Organization; member: Member; onRemove: () => void; onLeave: () => void }

/** One member with role; the last admin can be neither changed nor removed. */
export function MemberRow({ organization, member, onRemove, onLeave }: Props) {
  const { refresh } = useSession()
  const { profile } = useSettings()
  const { pending, failure, submit } = useSubmit()
  const kept = isLastAdmin(organization.members, member.id)
  const who = member.name || member.email
  const isSelf = member.userId === profile.id
  const leave = (
    <Button size="small" look="quiet" disabled={kept} onClick={onLeave}>
      Leave
    </Button>
  )

  const changeRole = async (role: Role) => {
    await api.updateMemberRole({ organizationId: organization.id, memberId: member.id, role })
    await refresh()
  }

  return (
    <li className="row">
      <div className="row-line">
        <Avatar name={member.name} email={member.email} />
        <div className="row-who">
          <span>
            {who} {isSelf && <Badge>You</Badge>}
          </span>
          {member.name !== '' && <small>{member.email}</small>}
        </div>
        {organization.role === 'admin' ? (
          <div className="row-actions">
            <select
              className="input input-small"
              aria-label={`Role of ${who}`}
              value={member.role}
              disabled={kept}
              // Not disabled while it is saved: it would lose the focus. One more choice meanwhile is ignored.
              aria-disabled={pending || undefined}
              onChange={(event) => void submit(() => changeRole(event.target.value as Role))}
            >
              <option value="admin">{roleNames.admin}</option>
              <option value="member">{roleNames.member}</option>
            </select>
            {isSelf ? (
              leave
            ) : (
              <Button size="small" look="quiet" disabled={kept} aria-label={`Remove ${who}`} onClick={onRemove}>
                Remove
              </Button>
            )}
          </div>
        ) : (
          <div className="row-actions">
            <span className="row-note">{roleNames[member.role]}</span>
            {isSelf && leave}
          </div>
        )}
      </div>
      {kept && organization.role === 'admin' && (
        <p className="fine row-under">The only admin. Make somebody else admin before you leave or change this.</p>
      )}
      <FailureNotice failure={failure} />
    </li>
  )
}
