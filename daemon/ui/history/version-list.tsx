import '../styles/history.css'
import { systemClock } from '@svc/shared/kit/clock.ts'
import type { Revision } from '../api/daemon-client.ts'
import { dayOf, timeOf } from '../app/when.ts'
import { versionBy } from './version-by.ts'

type Props = {
  listed: readonly Revision[]
  /** Those listed, and the one before them if there is one. */
  all: readonly Revision[]
  current: string | undefined
  /** Gets the focus when it is listed, if the button that requested it is gone with the focus. */
  firstOlder: string | undefined
  onPick: (rev: string) => void
}

/** The versions of a note by day, newest first; those of agents are marked by shape and word. */
export function VersionList({ listed, all, current, firstOlder, onPick }: Props) {
  const now = systemClock.now()
  const days = Map.groupBy(listed, ({ at }) => dayOf(new Date(at), now))
  return [...days].map(([day, versions]) => (
    <section key={day} aria-label={day}>
      <h2>{day}</h2>
      <ol className="versions">
        {versions.map((version) => {
          const { rev, at, author } = version
          return (
            <li key={rev}>
              <button
                ref={rev === firstOlder ? takeLostFocus : undefined}
                type="button"
                className={isAgent(author.id) ? 'version agent' : 'version'}
                aria-current={rev === current ? 'true' : undefined}
                onClick={() => onPick(rev)}
              >
                <time dateTime={at}>{timeOf(new Date(at))}</time>
                <span>
                  {versionBy(version, all)}
                  {isAgent(author.id) && <span className="sr-only">, an agent</span>}
                </span>
              </button>
            </li>
          )
        })}
      </ol>
    </section>
  ))
}

function takeLostFocus(button: HTMLElement | null): void {
  if (document.activeElement === document.body) button?.focus()
}

/** Whether an author is a program that acts for a person. */
export const isAgent = (author: string): boolean => author === 'mcp_client'
