import '../styles/search-results.css'
import type { KeyboardEvent } from 'react'
import type { SearchAnswer, SearchHit } from '../api/daemon-client.ts'
import { failureText } from '../app/failure-text.ts'
import { formatRoute } from '../app/route.ts'
import { folderOf } from '../links/resolve-link.ts'
import { withoutExtension } from '../links/link-index.ts'
import { plainLine, plainTitle } from '../plain-line/plain-line.ts'
import { useVault } from '../vaults/vault-context.ts'
import { MarkedText } from './marked-text.tsx'
import { useSearch } from './use-search.ts'

/** The results of a search by note, each line a link to its place. */
export default function SearchResults({ query }: { query: string }) {
  const { vault } = useVault()
  const search = useSearch(vault.id, query)
  if (search.state === 'idle') return null
  if (search.state === 'refused') {
    const { title, advice } = failureText(search.refusal)
    return (
      <div className="results-note" role="alert">
        <strong>{search.refusal.code === 'invalid_request' ? 'This search cannot be read' : title}</strong>
        <p>{search.refusal.code === 'invalid_request' ? search.refusal.message : advice}</p>
      </div>
    )
  }
  const answer = search.state === 'found' ? search.answer : search.before
  return (
    <div className="results" aria-busy={search.state === 'searching'} onKeyDown={moveByArrows}>
      <p className="results-count" role="status">
        {search.state === 'found' ? counted(search.answer) : 'Searching…'}
      </p>
      {answer && (
        <ul aria-label="Search results">
          {answer.hits.map((hit) => (
            <Hit key={hit.path} hit={hit} />
          ))}
        </ul>
      )}
      {search.state === 'found' && search.answer.hits.length === 0 && <SearchHelp />}
      {search.state === 'found' && search.failure && (
        <p className="results-note" role="alert">
          More hits could not be loaded: {failureText(search.failure).title}
        </p>
      )}
      {search.state === 'found' && search.answer.nextCursor !== undefined && (
        <button type="button" className="button" onClick={search.more}>
          Show more
        </button>
      )}
    </div>
  )
}

function counted({ total, partial, hits }: SearchAnswer): string {
  const count = Math.max(total, hits.length)
  const notes = count === 1 ? '1 note' : `${count} notes`
  return partial ? `${notes} so far: not everything could be looked through yet` : notes
}

function Hit({ hit }: { hit: SearchHit }) {
  const { vault, open } = useVault()
  const place = folderOf(hit.path)
  return (
    <li className="hit">
      <ResultLink
        href={formatRoute({ vaultId: vault.id, path: hit.path })}
        className="hit-title"
        onOpen={() => open(hit.path)}
      >
        {plainTitle(hit.title) || withoutExtension(hit.path)}
        {place !== '' && <span className="quiet">{place}</span>}
      </ResultLink>
      {hit.snippets.map((snippet) => (
        <HitLine key={snippet.line} path={hit.path} snippet={snippet} />
      ))}
    </li>
  )
}

/** A line that holds the words, shown as a reader sees it. */
function HitLine({ path, snippet: { line, text, highlights } }: { path: string; snippet: SearchHit['snippets'][0] }) {
  const { vault, open } = useVault()
  const plain = plainLine(text, highlights)
  return (
    <ResultLink
      href={formatRoute({ vaultId: vault.id, path, line })}
      className="hit-line"
      onOpen={() => open(path, { line })}
    >
      <span className="line-number">{line}</span>
      <span className="hit-text">
        <MarkedText text={plain.text} ranges={plain.highlights} />
      </span>
    </ResultLink>
  )
}

type LinkProps = { href: string; className: string; onOpen: () => void; children: React.ReactNode }

function ResultLink({ href, className, onOpen, children }: LinkProps) {
  return (
    <a
      href={href}
      className={className}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return
        event.preventDefault()
        onOpen()
      }}
    >
      {children}
    </a>
  )
}

function SearchHelp() {
  return (
    <div className="results-note">
      <p>Nothing matches. You can narrow or widen a search:</p>
      <dl className="search-help">
        <dt>“two words”</dt>
        <dd>exactly these words</dd>
        <dt>-word</dt>
        <dd>without this word</dd>
        <dt>tag: path: title:</dt>
        <dd>only there, as in tag:idea</dd>
        <dt>prop:key=value</dt>
        <dd>by property</dd>
      </dl>
    </div>
  )
}

function moveByArrows(event: KeyboardEvent<HTMLElement>) {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>('a')]
  const at = links.indexOf(document.activeElement as HTMLElement)
  const next = links[at + (event.key === 'ArrowDown' ? 1 : -1)]
  event.preventDefault()
  if (next) next.focus()
  else if (at === 0) document.querySelector<HTMLElement>('[role=searchbox]')?.focus()
}
