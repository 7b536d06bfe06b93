import { useEffect } from 'react'
import type { Referrer } from '@svc/shared/wire/daemon/daemon-links.api.ts'
import { useLoaded } from '../api/use-loaded.ts'
import { useUntilWhole } from '../api/use-until-whole.ts'
import { failureText } from '../app/failure-text.ts'
import { useServices } from '../app/services.ts'
import { useVault } from '../vaults/vault-context.ts'
import { plainTitle } from '../plain-line/plain-line.ts'
import { MarkedText } from '../search/marked-text.tsx'
import { FileLink } from './file-link.tsx'
import { referringLine } from './referring-line.ts'

/** The notes that link to this one, and those that mention it without a link; updated as the vault changes. */
export default function LinkedFrom({ path }: { path: string }) {
  const { client } = useServices()
  const { vault, tree, open } = useVault()
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
      <Referrers of={backlinks} to={path} />
      {backlinksTotal > backlinks.length && <p className="quiet">and {backlinksTotal - backlinks.length} more</p>}
      {mentions.length > 0 && (
        <>
          <h3>Named without a link</h3>
          <Referrers of={mentions} to={path} />
        </>
      )}
      <button type="button" className="button" onClick={() => open(path, { view: 'graph' })}>
        Show the links around this note
      </button>
      {partial && <p className="quiet">Not everything has been looked at yet; there may be more.</p>}
    </>
  )
}

function Referrers({ of: referrers, to }: { of: readonly Referrer[]; to: string }) {
  const { index } = useVault()
  return (
    <ul className="plain-list referrers">
      {referrers.map(({ path, title, lines }) => (
        <li key={path}>
          <FileLink to={path} place={{ line: lines[0]?.line ?? 1 }} className="list-link" title={path}>
            <b>{plainTitle(title)}</b>
            {lines.slice(0, 3).map(({ line, text }) => {
              const plain = referringLine({ index, from: path, to, text })
              return (
                <span key={line} className="quiet">
                  <MarkedText text={plain.text} ranges={plain.highlights} />
                </span>
              )
            })}
          </FileLink>
        </li>
      ))}
    </ul>
  )
}
