import { linkLabel, parseLinkTarget } from '../links/link-target.ts'
import { resolveLink } from '../links/resolve-link.ts'
import { formatRoute } from '../app/route.ts'
import { useVault } from '../vaults/vault-context.ts'

/** The text of a property, which may be a link into the vault or to the web. */
export function PropertyLink({ text, from }: { text: string; from: string }) {
  const { vault, index, open } = useVault()
  const wiki = /^\[\[([^[\]]+)\]\]$/.exec(text)?.[1]
  if (wiki !== undefined) {
    const link = parseLinkTarget(wiki)
    const entry = resolveLink(index, { target: link.target, from })
    if (!entry) return <span>{linkLabel(link)}</span>
    return (
      <a
        className="internal"
        href={formatRoute({ vaultId: vault.id, path: entry.path })}
        onClick={(event) => {
          if (event.ctrlKey || event.metaKey) return
          event.preventDefault()
          open(entry.path, link.heading === undefined ? {} : { heading: link.heading })
        }}
      >
        {linkLabel(link)}
      </a>
    )
  }
  if (/^https?:\/\/\S+$/.test(text))
    return (
      <a className="external" href={text} target="_blank" rel="noopener noreferrer">
        {text}
      </a>
    )
  return <span>{text}</span>
}
