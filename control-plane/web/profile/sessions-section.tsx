import { useSubmit } from '../app/submit.ts'
import type { SessionView } from '../answers.ts'
import { Button } from '../controls/button.tsx'
import { Loaded } from '../controls/loaded.tsx'
import { FailureNotice } from '../controls/notice.tsx'
import { Section } from '../controls/section.tsx'
import { Badge } from '../controls/status.tsx'
import { Time } from '../controls/time.tsx'
import { useLiveQuery } from '../live/live-query.ts'
import { authApi } from '../account/auth-api.ts'
import { browserName } from './browser-name.ts'

/** Where the account is signed in, and the way to end it in one place or everywhere else. */
export function SessionsSection() {
  const known = useLiveQuery({
    queryKey: ['sessions'],
    queryFn: readSessions,
    every: () => 2000,
  })
  const { pending, failure, submit } = useSubmit()

  const end = async (token: string) => {
    await authApi.revokeSession(token)
    await known.refetch()
  }
  const endOthers = async () => {
    await authApi.revokeOtherSessions()
    await known.refetch()
  }

  return (
    <Section
      title="Sessions"
      note="Browsers in which you are signed in."
      action={
        known.data !== undefined &&
        known.data.sessions.length > 1 && (
          <Button pending={pending} onClick={() => void submit(endOthers)}>
            Sign out everywhere else
          </Button>
        )
      }
    >
      <FailureNotice failure={failure} />
      <Loaded query={known} what="sessions">
        {({ sessions, currentId }) => (
          <ul className="rows">
            {inOrder(sessions, currentId).map(({ id, token, userAgent, ipAddress, createdAt, updatedAt }) => (
              <li className="row" key={id}>
                <div className="row-line">
                  <div className="row-who">
                    <span>
                      {browserName(userAgent)} {id === currentId && <Badge tone="accent">This one</Badge>}
                    </span>
                    <small>
                      Signed in <Time at={createdAt} /> ·{' '}
                      {id === currentId ? (
                        'in use now'
                      ) : (
                        <>
                          last used <Time at={updatedAt} />
                        </>
                      )}
                      {ipAddress ? ` · ${ipAddress}` : ''}
                    </small>
                  </div>
                  {id !== currentId && (
                    <Button
                      size="small"
                      pending={pending}
                      aria-label={`Sign out ${browserName(userAgent)}`}
                      onClick={() => void submit(() => end(token))}
                    >
                      Sign out
                    </Button>
                  )}
                </div>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Section>
  )
}

type Known = { sessions: SessionView[]; currentId: string }

/**
 * All sessions, and which one is this browser's. If a write replaces the session between the two reads, both are
 * repeated: the list waits for that write, and fails if there is no session.
 */
async function readSessions(): Promise<Known> {
  const sessions = await authApi.listSessions()
  const current = await authApi.readSession()
  return current === null ? readSessions() : { sessions, currentId: current.session.id }
}

// This session first, then the most recently used.
const inOrder = (sessions: SessionView[], currentId: string) =>
  sessions.toSorted(
    (one, other) =>
      Number(other.id === currentId) - Number(one.id === currentId) || other.updatedAt.localeCompare(one.updatedAt),
  )
