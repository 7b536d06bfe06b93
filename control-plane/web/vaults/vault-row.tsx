import { ChevronRight } from 'lucide-react'
import type { MouseEvent } from 'react'
import type { OrganizationVaults, Vault } from '../answers.ts'
import { pathTo } from '../app/paths.ts'
import { useSettings } from '../app/session.tsx'
import { Button } from '../controls/button.tsx'
import { FailureNotice } from '../controls/notice.tsx'
import { LastChange } from './last-change.tsx'
import { NewsTally } from './news-tally.tsx'
import { newsWords } from './news-words.ts'
import { useEntry } from './use-entry.ts'
import { canOpen } from './vault-states.ts'

type Props = { organization: Pick<OrganizationVaults, 'orgSlug' | 'state'>; vault: Vault }

/** One vault with its news and its link. The name is a real address, so a vault can also be opened in a new tab. */
export function VaultRow({ organization: { orgSlug, state }, vault }: Props) {
  const { entry, enter, cancel } = useEntry(orgSlug, vault.slug)
  const { profile } = useSettings()
  const words = newsWords(vault, profile.id)
  const under = entry.state === 'entering' || entry.state === 'waiting'

  return (
    <li className="ledger-row vault-row">
      <div className="ledger-margin">
        <LastChange vault={vault} reader={profile.id} />
      </div>
      <div className="ledger-main">
        <div className="vault-name">
          {canOpen(state) && !under ? (
            <a
              href={pathTo.open(orgSlug, vault.slug)}
              aria-label={`Open ${vault.displayName}`}
              onClick={(event) => {
                if (!isPlainClick(event)) return
                event.preventDefault()
                void enter()
              }}
            >
              {vault.displayName}
            </a>
          ) : (
            <span>{vault.displayName}</span>
          )}
          <small>{words === '' ? vault.slug : words}</small>
        </div>
        {under ? (
          <>
            <span className="vault-progress" role="status">
              <span className="spinner" aria-hidden="true" />
              {progressWords(entry)}
            </span>
            <Button size="small" onClick={cancel}>
              Cancel
            </Button>
          </>
        ) : (
          <>
            <NewsTally news={vault.news ?? []} />
            {canOpen(state) && <ChevronRight className="icon quiet" aria-hidden="true" />}
          </>
        )}
        {entry.state === 'failed' && <FailureNotice failure={entry.failure} retry={() => void enter()} />}
      </div>
    </li>
  )
}

// Whether a click should open the vault here, not in a new tab or as a download.
function isPlainClick(event: MouseEvent): boolean {
  return event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey
}

/** What an entry under way is waiting for. */
export function progressWords(entry: { state: string; because?: 'waking' | 'busy' }): string {
  if (entry.state !== 'waiting') return 'Opening…'
  return entry.because === 'waking' ? 'Waking the host…' : 'Waiting for a free place…'
}
