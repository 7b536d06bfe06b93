import { useEffect } from 'react'
import type { Referrer } from '@svc/shared/wire/daemon/daemon-links.api.ts'
import { useLoaded } from '../api/use-loaded.ts'
import { useUntilWhole } from '../api/use-until-whole.ts'
import { failureText } from '../app/failure-text.ts'
import { useServices } from '../app/services.ts'
import { useVault } from '../vaults/vault-context.ts'
import { FileLink } from './file-link.tsx'

/** The notes that link to this one, and those that mention it without a link; updated as the vault changes. */
export default function LinkedFrom({ path }: { path: string }) {
  const { client, navigation } = useServices()
  const { vault, tree } = useVault()
  const [loaded, reload] = useLoaded(`links ${vault.id} ${path}`, (signal) =>
    client.readLinks({ vaultId: vault.id, path }, signal),
  )
  useEffect(reload, [tree, reload])
  useUntilWhole(loaded.state === 'ready' ? loaded.value : undefined, reload)

  if (loaded.state === 'loading') return <p className="quiet">Looking for links…</p>
  if (loaded.state === 'refused') return <p className="quiet">{failureText(loaded.refusal).title}</p>
  const { backlinks, backlinksTotal, mentions, partial } = loaded.value
  return (
    <>
      {backlinks.length === 0 && !partial && <p className="quiet">No note links here</p>}
      <Referrers of={backlinks} />
      {backlinksTotal > backlinks.length && <p className="quiet">and {backlinksTotal - backlinks.length} more</p>}
      {mentions.length > 0 && (
        <>
          <h3>Named without a link</h3>
          <Referrers of={mentions} />
        </>
      )}
      <button
        type="button"
        className="button"
        onClick={() => navigation.open({ vaultId: vault.id, path, view: 'graph' })}
      >
        Show the links around this note
      </button>
      {partial && <p className="quiet">Not everything has been looked at yet; there may be more.</p>}
    </>
  )
}

function Referrers({ of: referrers }: { of: readonly Referrer[] }) {
  return (
    <ul className="plain-list referrers">
      {referrers.map(({ path, title, lines }) => (
        <li key={path}>
          <FileLink to={path} place={{ line: lines[0]?.line ?? 1 }} className="list-link" title={path}>
            <b>{title}</b>
            {lines.slice(0, 3).map(({ line, text }) => (
              <span key={line} className="quiet">
                {text}
              </span>
            ))}
          </FileLink>
        </li>
      ))}
    </ul>
  )
}
